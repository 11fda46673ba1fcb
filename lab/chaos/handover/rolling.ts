// Three nodes on PostgreSQL are replaced one by one under load: by this release, and back. No request fails, no grant is
// lost. Callers turn to the next node when one refuses their connection, as a proxy does.
import { rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { storeOf } from '../../../src/store/change.ts';
import { makeHome, populate } from '../../../test/e2e/service.ts';
import { freePort } from '../../../test/free-port.ts';
import type { Seeded } from '../../../test/seeded.ts';
import { openAt } from '../../../test/store/postgres-node.ts';
import { PostgresServer } from '../../../test/store/postgres-server.ts';
import { Broken } from '../broken.ts';
import { Instance } from './instance.ts';
import { FOR_ANY_RELEASE, type Release, releaseAt, THIS_RELEASE } from './release.ts';
import { SteadyCallers } from './steady-callers.ts';
import { Tally } from './tally.ts';

const LOAD_MS = 500;
const NODES = 3;

/** `from`: the commit to upgrade from and to go back to. Without it, this release replaces itself. */
export async function rollOut(
  rounds: number,
  _chance: Seeded,
  { from }: { readonly from?: string | undefined } = {},
): Promise<number> {
  const broken = new Broken();
  const other = from ? releaseAt(from) : THIS_RELEASE;
  const server = await PostgresServer.start({ durable: true });
  const home = makeHome({ ...FOR_ANY_RELEASE, settings: { ...FOR_ANY_RELEASE.settings, store: server.url() } });
  const store = storeOf(await openAt(server.url())); // migrates the schema first, as docs/postgresql.md says
  await populate(store, home.authority);
  await store.close();
  const ports = await Promise.all(Array.from({ length: NODES }, freePort));
  const start = (release: Release, port: number) =>
    Instance.start(release, home, ['--set', `listeners.0.port=${port}`]);
  const nodes = await Promise.all(ports.map((port) => start(other, port)));
  const certificate = home.authority.issue({ commonName: 'ada' });
  const callers = new SteadyCallers(ports.map((port) => ({ port, ca: home.authority.pem, certificate })));
  const tally = new Tally(callers, broken);
  await callers.begun();
  await pause(LOAD_MS);
  for (let round = 1; round <= rounds; round++) {
    const release = round % 2 === 1 ? THIS_RELEASE : other;
    for (const [index, port] of ports.entries()) {
      const before = nodes[index] as Instance;
      const tookMs = await before.stop();
      tally.step(`round ${round}: node ${index + 1} (${before.release.name}) stopped in ${tookMs} ms`, before.release);
      nodes[index] = await start(release, port);
      await pause(LOAD_MS);
      tally.step(`round ${round}: node ${index + 1} is ${release.name}`, THIS_RELEASE);
    }
  }
  const lost = await callers.stop();
  broken.where(lost > 0, `${lost} tokens do not work any more`);
  await Promise.all(nodes.map((node) => node.stop()));
  other.remove();
  await server.remove();
  rmSync(home.folder, { recursive: true });
  console.log(`${rounds} rounds, ${callers.answered} requests answered, ${lost} tokens lost`);
  return broken.count;
}
