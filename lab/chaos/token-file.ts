// Many processes share one token file while they are killed, the disk fills up and the server restarts. Their grant can be
// made only once, so a grant that is lost stays lost and is found.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { parseTokens } from '../../sdk/client/src/tokens.ts';
import type { Home } from '../../test/e2e/service.ts';
import type { Seeded } from '../../test/seeded.ts';
import { Broken } from './broken.ts';
import { Faults } from './faults.ts';
import { entryOf, Service } from './service.ts';
import { aTokenField, LIFETIME_S, makeGrant, type TokenField } from './token-field.ts';
import { TokenHolders } from './token-holders.ts';

const PROCESSES = 50;

/** Each cycle is one expiry. Returns the number of broken promises. */
export async function shareTokenFile(
  cycles: number,
  chance: Seeded,
  { processes = PROCESSES }: { readonly processes?: number | undefined } = {},
): Promise<number> {
  const field = await aTokenField();
  const faults = Faults.make(field.folder, 'tokens.json');
  if (!faults) console.log('there is no C compiler (cc): the disk is never full');
  const broken = new Broken();
  const service = new Restarted(field.home);
  await service.start();
  await makeGrant(field);
  const watch = watchFile(field.file);
  const holders = new TokenHolders(field, faults?.environment ?? {}, processes);
  try {
    await holders.allStarted();
    for (let cycle = 1; cycle <= cycles; cycle++)
      await runCycle(cycle, { field, faults, service, holders, chance, broken });
  } finally {
    await holders.stop();
    watch.stop();
    await service.kill();
    faults?.close();
  }
  judge(field, cycles, holders, watch, broken);
  await field.remove();
  return broken.count;
}

interface Stage {
  readonly field: TokenField;
  readonly faults: Faults | undefined;
  readonly service: Restarted;
  readonly holders: TokenHolders;
  readonly chance: Seeded;
  readonly broken: Broken;
}

/** One lifetime of a token. In its first half the disk may be full or the server away; processes are killed all the time. */
async function runCycle(cycle: number, stage: Stage): Promise<void> {
  const { field, holders, chance, broken } = stage;
  const ends = performance.now() + LIFETIME_S * 1000;
  const [isFull, isRestart] = [cycle % 3 === 0, cycle % 4 === 2];
  const troubles = [...(isFull ? [fillDisk(stage, `cycle ${cycle}`)] : []), ...(isRestart ? [restart(stage)] : [])];
  while (performance.now() < ends) await holders.killOne(chance);
  await Promise.all(troubles);
  if (isFull || isRestart) await refreshedSoon(field, broken, `cycle ${cycle}`);
}

const TROUBLE_MS = (LIFETIME_S * 1000) / 2;

/** By its own timer: on a busy machine the kills take longer, and a retry needs the disk within the window. */
async function fillDisk({ field, faults, broken }: Stage, when: string): Promise<void> {
  if (!faults) return;
  faults.set('no-new-space');
  const before = answered(field);
  await pause(TROUBLE_MS);
  // One may have reserved its space just before.
  broken.where(answered(field) > before + 1, `${when}: refreshes were requested while the disk was full`);
  faults.set('fine');
}

async function restart({ service }: Stage): Promise<void> {
  await service.kill();
  await pause(TROUBLE_MS);
  await service.start();
}

/** What each process may report: the server was away, or the disk was full. */
const EXPECTED = ['unavailable', 'storage'];

function judge(field: TokenField, cycles: number, holders: TokenHolders, { reads, torn }: Watch, broken: Broken): void {
  const events = eventsOf(field.home);
  const count = (type: string) => events[type] ?? 0;
  const failed = (reason: string) => holders.failures.get(reason)?.length ?? 0;
  for (const [reason, words] of holders.failures)
    broken.where(!EXPECTED.includes(reason), `${reason}, ${words.length} times: ${words[0]}`);
  broken.where(torn.length > 0, `the file was torn or missing ${torn.length} times in ${reads()} reads: ${torn[0]}`);
  for (const type of ['reused', 'revoked']) broken.where(count(type) > 0, `events of type ${type}: ${count(type)}`);
  broken.where((statSync(field.file).mode & 0o777) !== 0o600, 'the mode of the file is not 600');
  broken.where(count('refreshed') < cycles / 2, `only ${count('refreshed')} refreshes`);
  console.log(
    `${holders.size} processes, ${cycles} lifetimes of ${LIFETIME_S} s: ${holders.got} tokens handed out, ` +
      `${holders.killed} processes killed (${holders.killedWithLock} with the lock, ${holders.killedInFlight} of them with a marked ` +
      `refresh token), ${count('refreshed')} refreshes and ` +
      `${count('retried')} retries; ${failed('unavailable')} calls failed because the server was away, ${failed('storage')} because ` +
      `the disk was full; ${reads()} reads of the file, ${torn.length} torn; ${count('reused')} reuses, ` +
      `${failed('invalid_grant')} invalid_grant`,
  );
}

/** A service that comes back on the same port. */
class Restarted {
  readonly #home: Home;
  #process: Service | undefined;

  constructor(home: Home) {
    this.#home = home;
  }

  async start(): Promise<void> {
    this.#process = await Service.start(entryOf(this.#home));
  }

  async kill(): Promise<void> {
    await this.#process?.kill();
  }
}

/** A new pair within a few lifetimes after a fault has ended. */
async function refreshedSoon({ file }: TokenField, broken: Broken, when: string): Promise<void> {
  const began = Date.now();
  const obtainedAt = () => (parseTokens(readFileSync(file, 'utf8'))?.obtainedAt ?? 0) * 1000;
  while (obtainedAt() < began && Date.now() < began + 20_000) await pause(50);
  broken.where(obtainedAt() < began, `${when}: no refresh within 20 s after the fault`);
}

interface Watch {
  readonly torn: readonly string[];
  readonly reads: () => number;
  readonly stop: () => void;
}

/** Reads the file all the time, as any process may. */
function watchFile(file: string): Watch {
  const torn: string[] = [];
  let reads = 0;
  const timer = setInterval(() => {
    reads++;
    try {
      const text = readFileSync(file, 'utf8');
      if (!parseTokens(text)) torn.push(`${text.length} bytes`);
    } catch (error) {
      torn.push(String(error));
    }
  }, 2);
  return { torn, reads: () => reads, stop: () => clearInterval(timer) };
}

/** How many refreshes the server has answered. */
function answered({ home }: TokenField): number {
  const { refreshed = 0, retried = 0 } = eventsOf(home);
  return refreshed + retried;
}

function eventsOf({ folder }: Home): Partial<Record<string, number>> {
  const database = new DatabaseSync(join(folder, 'tessera.db'), { readOnly: true });
  const rows = database.prepare('SELECT type, count(*) AS count FROM events GROUP BY type').all();
  database.close();
  return Object.fromEntries(rows.map(({ type, count }) => [String(type), Number(count)]));
}
