import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { CORES, startPinned, stopped } from '../../bench/pinned.ts';

export const FLOODS = [
  'new TLS connections',
  'new TLS connections with long chains',
  'handshakes that stop half-way',
  'handshakes of one address that stop half-way',
] as const;
export type FloodKind = (typeof FLOODS)[number];

const ENTRY = fileURLToPath(new URL('flood-process.ts', import.meta.url));

export interface Flood {
  /** Number of connections opened. */
  opened(): Promise<number>;
  stop(): Promise<void>;
}

export function startFlood(kind: FloodKind, port: number): Flood {
  const stdio = ['ignore', 'inherit', 'inherit', 'ipc'] as const;
  const child = startPinned(ENTRY, [kind, String(port)], { core: CORES.generator, stdio: [...stdio] });
  return {
    opened: async () => {
      child.send('opened?');
      const [count] = await once(child, 'message');
      return count;
    },
    stop: () => stopped(child),
  };
}
