import type { Presenter } from '../../core/presenter.ts';

/** An address holds no space, so the first one ends it. */
export function encodePresenter({ address, agent }: Presenter): string {
  return `${address} ${agent}`;
}

export function decodePresenter(text: string): Presenter {
  const space = text.indexOf(' ');
  return { address: text.slice(0, space), agent: text.slice(space + 1) };
}
