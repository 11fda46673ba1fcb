// What `peers` measures.
import type { Proof } from '../bench/proof.ts';
import type { Circumstances } from '../figures/data.ts';
import type { Peer, TokenKind } from './peer.ts';

export interface PeerFigures extends Circumstances {
  readonly versions: Readonly<Record<string, string>>;
  readonly connections: number;
  readonly slices: number;
  readonly seconds: number;
  /** Our generator and wrk, against the same echo. */
  readonly generator: { readonly ours: number; readonly wrk: number } | { readonly notChecked: string };
  readonly lanes: readonly LaneFigures[];
  readonly missing: readonly Missing[];
}

export interface LaneFigures {
  readonly work: Work;
  readonly token: TokenKind;
  readonly product: string;
  readonly store: Peer['store'];
  readonly perSecond: number;
  /** Microseconds of processor time per request, the database included. */
  readonly cpu: number;
  readonly p99: number;
  readonly megabytes: number;
  readonly requests: number;
  /** Tessera with the same store and token, of this: quartiles over the passes. */
  readonly ratio: readonly [number, number, number];
  /** Of a refresh: chains that advanced, refreshes acknowledged, last tokens that work, spent tokens refused. */
  readonly proof?: Proof;
}

export type Work = 'refresh' | 'check';

export interface Missing {
  readonly what: string;
  readonly why: string;
}
