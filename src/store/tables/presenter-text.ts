import type { Presenter } from '../../core/presenter.ts';

/** An address contains no space, so the first space ends it. */
export function encodePresenter({ address, agent }: Presenter): string {
  return `${address} ${agent}`;
}

export function decodePresenter(text: string): Presenter {
  const space = text.indexOf(' ');
  return { address: text.slice(0, space), agent: text.slice(space + 1) };
}
