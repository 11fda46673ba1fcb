// Sets the clock of a running service ten years ahead and back: a wrong clock issues, ends and sweeps nothing.
import { setTimeout as pause } from 'node:timers/promises';
import { epochSeconds } from '../../src/core/time.ts';
import { sweep } from '../../src/operations/upkeep/sweep.ts';
import { Timekeeper } from '../../src/operations/upkeep/timekeeper.ts';
import { recordingOutages } from '../../src/store/outages.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { StoreUnavailable } from '../../src/store/store.ts';
import { systemClock } from '../../src/system.ts';
import { anotherNode } from '../../test/node.ts';
import { Askers, countLost } from './askers.ts';
import { Broken } from './broken.ts';
import { Faults } from './faults.ts';
import { aField, type Field, Served } from './served.ts';

const CALM_MS = 600;
const WRONG_MS = 3_000;
const SETTLED_WITHIN_MS = 5_000;
const YEAR = 365 * 86_400;

const JUMPS = [
  ['ten years ahead', 10 * YEAR],
  ['two hours ahead', 7_200],
  ['ten years behind', -10 * YEAR],
] as const;

/** Returns how many promises were broken. */
export async function setClock(cycles: number): Promise<number> {
  const broken = new Broken();
  for (const [what, ahead] of JUMPS.slice(0, cycles)) {
    const field = await aField();
    const faults = Faults.make(field.home.folder);
    if (faults) await jumpOnce(field, faults, what, ahead, broken);
    else console.log(`SKIPPED ${what}: there is no C compiler (cc) here`);
    field.remove();
  }
  return broken.count;
}

async function jumpOnce(field: Field, faults: Faults, what: string, ahead: number, broken: Broken): Promise<void> {
  const service = await Served.start(field, faults.environment);
  const askers = new Askers(service.caller);
  await askers.areAtWork();
  const before = askers.acknowledgedAfter(0);
  faults.aheadBy(ahead);
  const jumpedAt = performance.now();
  const [noticed] = await Promise.all([service.readyzIs(503, WRONG_MS), pause(WRONG_MS)]);
  const during = askers.acknowledgedAfter(jumpedAt);
  faults.aheadBy(0);
  const recovered = await service.readyzIs(200, SETTLED_WITHIN_MS);
  await pause(CALM_MS);
  await askers.stop();
  const { code } = await service.stop();
  faults.close();

  const refused = askers.all.flatMap((each) => each.refused).length;
  const swept = await sweptByWrongClock(field, ahead);
  const again = await Served.start(field);
  const lost = await countLost(askers, again.caller);
  await again.stop();
  console.log(
    `${what}: ${before} acknowledged before, ${during} by the wrong clock, ${lost} lost, ${refused} refused for good; ` +
      `a sweep by that clock: ${swept}; not ready after ${noticed ?? '—'} ms, ready again after ${recovered ?? '—'} ms`,
  );
  broken.where(during > 0, `${what}: ${during} acknowledged by a wrong clock`);
  broken.where(lost > 0, `${what}: ${lost} acknowledged and lost`);
  broken.where(refused > 0, `${what}: ${refused} callers refused for good`);
  broken.where(swept !== 'refused', `${what}: swept ${swept} rows`);
  broken.where(noticed === undefined || recovered === undefined, `${what}: /readyz does not know`);
  broken.where(code !== 0, `${what}: stopped with ${code}`);
}

/** A service that starts with a wrong clock and sweeps at once. */
async function sweptByWrongClock({ path }: Field, ahead: number): Promise<number | 'refused'> {
  const now = () => epochSeconds(systemClock.now() + ahead);
  const opened = await openSqliteStore({ path, clock: now });
  const clock = { ...systemClock, now };
  const timekeeper = await Timekeeper.begin({ store: opened, clock });
  try {
    const node = await anotherNode(recordingOutages(opened, timekeeper.admit), { clock });
    return timekeeper.maySweep ? await sweep(node, async () => {}) : 'refused';
  } catch (fault) {
    if (fault instanceof StoreUnavailable) return 'refused';
    throw fault;
  } finally {
    await opened.close();
  }
}
