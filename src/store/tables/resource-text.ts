import type { Audience } from '../../core/resource-server.ts';
import type { Value } from '../table.ts';

/** Audiences are URIs, which have no spaces. */
export function encodeResource(resource: readonly Audience[] | undefined): Value {
  return resource ? resource.join(' ') : null;
}

export function decodeResource(value: Value | undefined): { resource?: readonly Audience[] } {
  return typeof value === 'string' ? { resource: value.split(' ') as Audience[] } : {};
}
