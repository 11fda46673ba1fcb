import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { loadConfig } from '../../../src/config/load.ts';
import type { Contestant, Running } from '../contestant.ts';
import { fill } from '../fill.ts';
import { CORES, startPinned, stopped } from '../pinned.ts';
import { freePorts, readyAfter } from '../ready.ts';
import { REFRESH, startPostgres } from './tessera.ts';

export interface BareOptions {
  /** A folder of its own. */
  readonly folder: string;
  /** The issuer's certificate, to fill the store like Tessera's. */
  readonly authority: string;
  readonly known: number;
  readonly others: number;
  readonly postgres?: boolean;
  /** With the row of the event and the line of the log that Tessera writes. */
  readonly isRecording?: boolean;
}

const ENTRY = fileURLToPath(new URL('../servers/bare-refresh.ts', import.meta.url));

/** The lower bound of our own figure: see servers/bare-refresh.ts. */
export function bareRefresh({
  folder,
  authority,
  known,
  others,
  postgres = false,
  isRecording,
}: BareOptions): Contestant {
  return {
    start: async () => {
      const server = postgres ? await startPostgres() : undefined;
      const store = server ? [`store=${server.url()}`] : [];
      const config = loadConfig({ env: {}, sets: [`dataFolder=${folder}`, ...store] });
      const { pairs } = await fill(config, authority, { known, others });
      const [port = 0] = await freePorts(1);
      const began = performance.now();
      const args = [String(port), server?.url() ?? join(folder, 'tessera.db'), join(folder, 'keyring.json')];
      if (isRecording) args.push('same');
      const log = openSync(join(folder, 'log.jsonl'), 'a');
      const child = startPinned(ENTRY, args, { core: CORES.server, stdio: ['ignore', log, 'inherit'] });
      closeSync(log);
      await readyAfter(port, '/', began);
      return {
        pids: [child.pid as number, ...(server?.pid ? [server.pid] : [])],
        load: (kind, connections) =>
          kind === 'refresh'
            ? {
                port,
                walks: pairs
                  .slice(0, connections)
                  .map(({ refreshToken: token }) => ({ kind: 'chain', form: REFRESH, token })),
                freshConnections: false,
              }
            : undefined,
        stop: async () => {
          await stopped(child);
          await server?.remove();
        },
      } satisfies Running;
    },
  };
}
