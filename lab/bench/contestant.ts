import type { Load } from './generator/generator.ts';

export const LOAD_KINDS = [
  'refresh',
  'refresh-spread',
  'certificate',
  'certificate-fresh',
  'oauth-refresh',
  'verify',
  'introspect',
  'poll',
  'revoke',
  'mixed',
] as const;
export type LoadKind = (typeof LOAD_KINDS)[number];

/** Whether a load goes over TLS: it needs a client certificate, or is compared with one that does. */
export function isSecure(kind: LoadKind): boolean {
  return kind.startsWith('certificate') || kind === 'mixed';
}

/** A server under test. To add one, implement this and list it in stable.ts and suites.ts. */
export interface Contestant {
  start(): Promise<Running>;
}

export interface Running {
  /** Its processes; their resource use and that of their children is measured. */
  readonly pids: readonly number[];
  /** The requests of a load; undefined if it does not support the load. */
  load(kind: LoadKind, connections: number): Load | undefined;
  stop(): Promise<void>;
}
