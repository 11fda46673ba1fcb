import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { type Contestant, isSecure, type LoadKind, type Running } from '../contestant.ts';
import type { ClientTls, Load } from '../generator/generator.ts';
import { getHead, post, type WalkSpec } from '../generator/walk.ts';
import { CORES, startPinned, stopped } from '../pinned.ts';
import { freePorts, readyAfter } from '../ready.ts';

export interface EchoOptions {
  /** On all cores. */
  readonly unpinned?: boolean;
  readonly folder: string;
  readonly tls: ClientTls;
}

const ENTRY = fileURLToPath(new URL('../servers/echo.ts', import.meta.url));

export function echo({ unpinned = false, folder, tls }: EchoOptions): Contestant {
  return {
    start: async () => {
      const [port = 0, tlsPort = 0] = await freePorts(2);
      const began = performance.now();
      const child = startPinned(ENTRY, [String(port), String(tlsPort), folder], {
        core: unpinned ? undefined : CORES.server,
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      await readyAfter(port, '/echo', began);
      return {
        pids: [child.pid as number],
        load: (kind, connections) => loadOf(kind, connections, { port, tlsPort, tls }),
        stop: () => stopped(child),
      } satisfies Running;
    },
  };
}

type Ports = { readonly port: number; readonly tlsPort: number; readonly tls: ClientTls };

/** The same bytes on the wire as the load it bounds; it echoes the request. */
function loadOf(kind: LoadKind, connections: number, { port, tlsPort, tls }: Ports): Load {
  const isGet = kind === 'verify' || kind === 'revoke';
  const overTls = isSecure(kind);
  const walk: WalkSpec = { kind: 'same', request: isGet ? GET : overTls ? POST_SCOPE : POST_TOKEN, status: 200 };
  return {
    walks: Array.from({ length: connections }, () => walk),
    ...(overTls ? { port: tlsPort, tls } : { port }),
    freshConnections: kind === 'certificate-fresh',
  };
}

const TOKEN = `tsr_${'A'.repeat(94)}==`;
const GET = `${getHead('/echo')}${TOKEN}\r\n\r\n`;
const POST_TOKEN = post('/echo', 'application/json', `{"client_id":"bench","refresh_token":"${TOKEN}"}`);
const POST_SCOPE = post('/echo', 'application/json', '{"client_id":"bench","scope":"orders:read,write;stock:read"}');
