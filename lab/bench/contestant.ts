import type { Load } from './generator/generator.ts';

export const LOAD_KINDS = [
  'refresh',
  'refresh-retried',
  'refresh-spread',
  'certificate',
  'certificate-fresh',
  'assertion',
  'oauth-refresh',
  'verify',
  'introspect',
  'poll',
  'revoke',
  'mixed',
] as const;
export type LoadKind = (typeof LOAD_KINDS)[number];

/** A server under test. A further peer implements this and is named in stable.ts and suites.ts. */
export interface Contestant {
  start(): Promise<Running>;
}

export interface Running {
  /** The roots of all processes that do its work: what they and their children use is counted. */
  readonly pids: readonly number[];
  /** What to ask of it, or undefined where it knows no such thing. */
  load(kind: LoadKind, connections: number): Load | undefined;
  stop(): Promise<void>;
}
