import { fileURLToPath } from 'node:url';
import type { Contestant } from '../contestant.ts';
import { type ChainForm, postHead } from '../generator/walk.ts';
import { CORES, startPinned, stopped } from '../pinned.ts';
import { firstMessage, freePorts } from '../ready.ts';

const ENTRY = fileURLToPath(new URL('../servers/oidc-provider.ts', import.meta.url));

const FORM: ChainForm = {
  head: postHead('/token', 'application/x-www-form-urlencoded'),
  before: 'grant_type=refresh_token&client_id=bench&refresh_token=',
  after: '',
};

export function oidcProvider(connections: number): Contestant {
  return {
    start: async () => {
      const [port = 0] = await freePorts(1);
      const child = startPinned(ENTRY, [String(port), String(connections)], {
        core: CORES.server,
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
        env: { ...process.env, NODE_ENV: 'production' },
      });
      const tokens = (await firstMessage(child)) as string[];
      return {
        pids: [child.pid as number],
        load: (kind, count) =>
          kind === 'refresh'
            ? {
                port,
                freshConnections: false,
                walks: tokens.slice(0, count).map((token) => ({ kind: 'chain', form: FORM, token })),
              }
            : undefined,
        stop: () => stopped(child),
      };
    },
  };
}
