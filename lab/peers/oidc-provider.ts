// oidc-provider, as the demonstration starts it: on SQLite, with rotation.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Running } from '../bench/contestant.ts';
import { CORES, startPinned, stopped } from '../bench/pinned.ts';
import { firstMessage } from '../bench/ready.ts';
import type { Ready } from '../demo/child-server.ts';
import { CLIENT_ID, oauthPeer, type Peer, pairOf, TOKEN_KINDS, type TokenKind } from './peer.ts';

const ENTRY = fileURLToPath(new URL('../demo/servers/oidc-provider.ts', import.meta.url));
const PACKAGE = new URL('../../node_modules/oidc-provider/package.json', import.meta.url);

export async function oidcProviders(): Promise<Peer[]> {
  const { version } = JSON.parse(readFileSync(PACKAGE, 'utf8')) as { version: string };
  const common = { product: 'oidc-provider', version, store: 'SQLite' as const, coldSeconds: 5 };
  return [{ ...common, issues: TOKEN_KINDS, checks: ['opaque'], start }];
}

async function start(kind: TokenKind, folder: string, connections: number): Promise<Running> {
  const args = [join(folder, 'oidc-provider.db'), '0', String(2 * connections), kind];
  const child = startPinned(ENTRY, args, {
    core: CORES.server,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, NODE_ENV: 'production' },
  });
  const { port, tokens = [] } = (await firstMessage(child)) as Ready;
  const first = (refresh_token: string) => {
    const body = new URLSearchParams({ grant_type: 'refresh_token', client_id: CLIENT_ID, refresh_token });
    return fetch(`http://127.0.0.1:${port}/token`, { method: 'POST', body }).then(pairOf);
  };
  return oauthPeer({
    pids: [child.pid as number],
    refresh: { port, path: '/token' },
    introspect: { port, path: '/token/introspection' },
    pairs: await Promise.all(tokens.map(first)),
    stop: () => stopped(child),
  });
}
