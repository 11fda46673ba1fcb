// A node on SQLite or PostgreSQL whose time a drill moves, with an integration for each retry window.

import type { ClientId } from '../../src/core/integration.ts';
import { epochSeconds, seconds } from '../../src/core/time.ts';
import type { TokenPair } from '../../src/operations/grant/token-pair.ts';
import { hasEnded, nodeName } from '../../src/operations/upkeep/node-name.ts';
import { isAlone, NodeReporter } from '../../src/operations/upkeep/report-node.ts';
import { keeperOfTimes } from '../../src/operations/upkeep/timekeeper.ts';
import type { BackEnd } from '../../src/store/back-end.ts';
import { storeOf } from '../../src/store/change.ts';
import { recordingOutages } from '../../src/store/outages.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { integrations } from '../../src/store/tables/integrations.ts';
import { systemClock, systemRandom } from '../../src/system.ts';
import { Keyring } from '../../src/tokens/keyring.ts';
import { readKeyringFile } from '../../src/tokens/keyring-file.ts';
import { aNode, issue, type Node, put } from '../../test/node.ts';
import { anIntegration } from '../../test/samples.ts';
import { openAt } from '../../test/store/postgres-node.ts';

/** Retry windows, in seconds. */
export const WINDOWS = [5, 20, 60, 120];
export const LONGEST_WINDOW = 120;

export interface Opened {
  readonly node: Node;
  /** What the time of the store is ahead of the real one. */
  readonly shift: { seconds: number };
  readonly close: () => Promise<void>;
}

/** `store`: a URL of PostgreSQL, or the path of a file. */
export async function openShifted(store: string, keyringPath: string, ahead: number): Promise<Opened> {
  const shift = { seconds: ahead };
  const now = () => epochSeconds(systemClock.now() + shift.seconds);
  const real = store.startsWith('postgres')
    ? await openAt(store)
    : await openSqlite({ path: store, clock: systemClock.now });
  const keyring = new Keyring(readKeyringFile(keyringPath) ?? []);
  const node = await aNode(recordingOutages(storeOf(shifted(real, shift))), {
    keyring,
    clock: { ...systemClock, now },
  });
  for (const window of WINDOWS) {
    const overrides = { refreshRetryWindow: seconds(window) };
    await put(node.store, integrations, anIntegration({ clientId: `window-${window}` as ClientId, overrides }));
  }
  await node.registry.refresh();
  return { node, shift, close: () => node.store.close() };
}

function shifted(real: BackEnd, shift: Opened['shift']): BackEnd {
  return {
    ...real,
    now: async () => epochSeconds((await real.now()) + shift.seconds),
    load: async (table, key) => {
      const loaded = await real.load(table, key);
      return { ...loaded, now: epochSeconds(loaded.now + shift.seconds) };
    },
  };
}

/** As a service begins. Returns what it calls every few seconds. */
export async function beginNode({ node }: Opened): Promise<() => Promise<void>> {
  const keepTimes = keeperOfTimes(node, () => isAlone(node.store, (name) => hasEnded(name, true)));
  const reporter = new NodeReporter(nodeName(systemRandom), node);
  const keep = () => keepTimes().then(() => reporter.report(node.clock.now));
  await keep();
  return keep;
}

export function windowGrant(node: Node, window: number): Promise<TokenPair> {
  return issue(node, 'orders:read', `window-${window}`);
}
