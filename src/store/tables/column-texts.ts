import type { Presenter } from '../../core/presenter.ts';
import type { Audience } from '../../core/resource-server.ts';
import type { Value } from '../table.ts';

/** Audiences are URIs, which have no spaces. */
export function encodeResource(resource: readonly Audience[] | undefined): Value {
  return resource ? resource.join(' ') : null;
}

export function decodeResource(value: Value | undefined): { resource?: readonly Audience[] } {
  return typeof value === 'string' ? { resource: value.split(' ') as Audience[] } : {};
}

/** An address contains no space, so the first space ends it. */
export function encodePresenter({ address, agent }: Presenter): string {
  return `${address} ${agent}`;
}

export function decodePresenter(text: string): Presenter {
  const space = text.indexOf(' ');
  return { address: text.slice(0, space), agent: text.slice(space + 1) };
}
