// Everything a seed decides: settings, faults, keys, and two nodes on one database.
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { OnReuse } from '../../src/core/integration.ts';
import { DEFAULT_SETTINGS, type Settings } from '../../src/core/settings.ts';
import { seconds } from '../../src/core/time.ts';
import type { CallerPorts } from '../../src/operations/ports.ts';
import type { BackEnd } from '../../src/store/back-end.ts';
import { storeOf } from '../../src/store/change.ts';
import type { Sync } from '../../src/store/sqlite/commits.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import type { Store } from '../../src/store/store.ts';
import { identities } from '../../src/store/tables/identities.ts';
import { addKey, firstKey, Keyring, mintWith } from '../../src/tokens/keyring.ts';
import { anotherNode, put, TestClock } from '../../test/node.ts';
import { oneIntegration } from '../../test/one-integration.ts';
import { anIdentity, anIntegration, NOW } from '../../test/samples.ts';
import { Seeded } from '../../test/seeded.ts';
import { type Faults, faultyBackEnd, NO_FAULTS } from '../../test/store/faulty-back-end.ts';
import { temporaryFolder } from '../../test/temporary-folder.ts';

/** In-memory files if available: the simulator tests orders of events, not disks. */
const MEMORY = '/dev/shm';

/** One database for many seeds: each seed has its own grants, and creating a database takes longer than a seed. */
export interface SimDatabase {
  readonly backEnds: readonly [BackEnd, BackEnd];
  readonly clock: TestClock;
  readonly eventsRead: { upTo: number };
  close(): Promise<void>;
}

/** No disk and no nondeterminism: a seed is a history. */
const atOnce: Sync = () => Promise.resolve();

export async function openSimDatabase(): Promise<SimDatabase> {
  const folder = temporaryFolder('sim', existsSync(MEMORY) ? MEMORY : undefined);
  const clock = new TestClock();
  const open = () => openSqlite({ path: join(folder, 'sim.db'), clock: clock.now, sync: atOnce });
  const backEnds = [await open(), await open()] as const;
  return {
    backEnds,
    clock,
    eventsRead: { upTo: 0 },
    close: async () => {
      for (const backEnd of backEnds) await backEnd.close();
      rmSync(folder, { recursive: true });
    },
  };
}

export interface World {
  readonly chance: Seeded;
  readonly clock: TestClock;
  readonly settings: Settings;
  /** A node for the next action; it mints with either key, as nodes do during a rotation. */
  readonly node: () => CallerPorts;
  readonly sound: Store;
  readonly keyring: Keyring;
  calmDown(): void;
}

const KEYS = addKey(firstKey(), 2);
const KEYRINGS = [new Keyring(KEYS), new Keyring(mintWith(KEYS, 2))] as const;

export async function worldOf(seed: number, { backEnds, clock }: SimDatabase): Promise<World> {
  const chance = new Seeded(seed);
  clock.set(NOW);
  const settings = settingsFrom(chance);
  let faults = faultsFrom(chance);
  const sound = storeOf(backEnds[0]);
  await put(sound, identities, anIdentity());
  const nodes: CallerPorts[] = [];
  for (const backEnd of backEnds) {
    const store = storeOf(faultyBackEnd(backEnd, () => faults, new Seeded(seed ^ 0x5eed)));
    const random = (length: number) => chance.bytes(length);
    const registry = oneIntegration(anIntegration());
    nodes.push({ ...(await anotherNode(sound, { settings, clock, random })), store, registry });
  }
  const node = () => ({ ...chance.pick(nodes), keyring: chance.pick(KEYRINGS) });
  const calmDown = () => {
    faults = NO_FAULTS;
  };
  return { chance, clock, settings, node, sound, keyring: KEYRINGS[0], calmDown };
}

function settingsFrom(chance: Seeded): Settings {
  const onReuse: OnReuse = chance.chance(0.8) ? 'revoke' : 'report';
  const overlap = chance.chance(0.2) ? { accessTokenOverlap: seconds(chance.pick([0, 10, 60])) } : {};
  return {
    ...DEFAULT_SETTINGS,
    accessTokenLifetime: seconds(chance.pick([20, 100, 1000])),
    grantLifetime: seconds(chance.pick([60, 300, 2000])),
    refreshRetryWindow: seconds(chance.pick([0, 5, 60, 60])),
    onReuse,
    ...overlap,
  };
}

function faultsFrom(chance: Seeded): Faults {
  const kind = chance.pick(['none', 'slow', 'slow', 'all', 'all', 'all']);
  if (kind === 'none') return NO_FAULTS;
  if (kind === 'slow') return { ...NO_FAULTS, delayed: 0.5 };
  const odds = () => chance.pick([0, 0.02, 0.1]);
  return { unavailable: odds(), lostBefore: odds(), lostAfter: odds(), lostLate: odds(), delayed: chance.next() };
}
