// A product that `peers` races with: how it is started, and which requests it gets.
import type { Running } from '../bench/contestant.ts';
import type { Pair } from '../bench/fill.ts';
import { post, postHead, type WalkSpec } from '../bench/generator/walk.ts';

export const TOKEN_KINDS = ['opaque', 'ES256', 'RS256'] as const;
export type TokenKind = (typeof TOKEN_KINDS)[number];

export interface Peer {
  readonly product: string;
  readonly version: string;
  readonly store: 'SQLite' | 'PostgreSQL';
  /** The access tokens that it can issue, and those that its introspection accepts. */
  readonly issues: readonly TokenKind[];
  readonly checks: readonly TokenKind[];
  /** Before the first slice. */
  readonly coldSeconds: number;
  start(kind: TokenKind, folder: string, connections: number): Promise<Running>;
}

export function nameOf({ product, store }: Pick<Peer, 'product' | 'store'>): string {
  return `${product}, ${store}`;
}

const FORM = 'application/x-www-form-urlencoded';
export const CLIENT_ID = 'bench';
export const API = { id: 'bench-api', secret: 'bench-secret-of-an-api' } as const;

interface Served {
  readonly pids: readonly number[];
  readonly refresh: { readonly port: number; readonly path: string };
  readonly introspect: { readonly port: number; readonly path: string };
  /** Twice as many as connections: the first half is refreshed, the second half checked. */
  readonly pairs: readonly Pair[];
  readonly stop: () => Promise<void>;
}

/** A peer that speaks OAuth: a public client refreshes, an API with a secret introspects. */
export function oauthPeer({ pids, refresh, introspect, pairs, stop }: Served): Running {
  const form = {
    head: postHead(refresh.path, FORM),
    before: `grant_type=refresh_token&client_id=${CLIENT_ID}&refresh_token=`,
    after: '',
  };
  const chain = ({ refreshToken: token }: Pair): WalkSpec => ({ kind: 'chain', form, token });
  const check = ({ accessToken: token }: Pair): WalkSpec => {
    const fields = new URLSearchParams({ client_id: API.id, client_secret: API.secret, token });
    return {
      kind: 'same',
      request: post(introspect.path, FORM, fields.toString()),
      status: 200,
      includes: '"active":true',
    };
  };
  return {
    pids,
    load: (kind, connections) => {
      if (kind === 'oauth-refresh')
        return { port: refresh.port, freshConnections: false, walks: pairs.slice(0, connections).map(chain) };
      if (kind !== 'introspect') return undefined;
      const others = pairs.slice(connections, 2 * connections);
      return { port: introspect.port, freshConnections: false, walks: others.map(check) };
    },
    stop,
  };
}

/** Throws with the body if the response is not a success. */
export async function succeeded(response: Response): Promise<Response> {
  if (!response.ok) throw new Error(`${response.url}: ${response.status} ${(await response.text()).slice(0, 500)}`);
  return response;
}

export async function pairOf(response: Response): Promise<Pair> {
  const json = (await (await succeeded(response)).json()) as { access_token: string; refresh_token: string };
  return { accessToken: json.access_token, refreshToken: json.refresh_token };
}
