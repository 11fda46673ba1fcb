import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { CORES, startPinned, stopped } from '../../bench/pinned.ts';

export const FLOODS = [
  'new TLS connections',
  'new TLS connections with long chains',
  'handshakes that stop half-way',
  'handshakes of one address that stop half-way',
] as const;
/** Besides: keys that only a service without defence would load, which then serves nobody for seconds. */
export const SLOW_KEYS = 'new TLS connections with slow keys';
/** Besides: 60 KB of protocols, among which OpenSSL searches. */
export const LONG_HELLOS = 'new TLS connections with long hellos';
export type FloodKind = (typeof FLOODS)[number] | typeof SLOW_KEYS | typeof LONG_HELLOS;

const ENTRY = fileURLToPath(new URL('flood-process.ts', import.meta.url));

export interface Flood {
  begin(): void;
  /** Number of connections opened; resolves when the process is ready to begin. */
  opened(): Promise<number>;
  stop(): Promise<void>;
}

export function startFlood(kind: FloodKind, port: number): Flood {
  return startAttacker(ENTRY, [kind, String(port)]);
}

/** A process that begins at the message `begin`, and answers every message with the number of connections opened. */
export function startAttacker(entry: string, args: readonly string[]): Flood {
  const stdio = ['ignore', 'inherit', 'inherit', 'ipc'] as const;
  const child = startPinned(entry, args, { core: CORES.generator, stdio: [...stdio] });
  const ask = async (what: 'begin' | 'opened?') => {
    child.send(what);
    const [count] = await once(child, 'message');
    return count;
  };
  return { begin: () => void ask('begin'), opened: () => ask('opened?'), stop: () => stopped(child) };
}
