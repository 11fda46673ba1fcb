// A disk that fails under a running service, and recovers: nothing acknowledged is lost, no answer says "nothing was
// changed" when something was, and a retry gets an answer.
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { Askers, countLost } from './askers.ts';
import { Broken } from './broken.ts';
import { type Fault, Faults } from './faults.ts';
import { aField, type Field, Served } from './served.ts';

const CALM_MS = 600;
/** Longer than the retry window of the drill. */
const FAILING_MS = 4_000;
const SETTINGS = { tokens: { refreshRetryWindow: '2s' } };
const RECOVERED_WITHIN_MS = 5_000;

const TROUBLES: readonly (readonly [fault: Fault, what: string])[] = [
  ['sync-fails', 'EIO from every sync'],
  ['disk-full', 'ENOSPC from every write'],
  ['sync-says-full', 'ENOSPC from every sync'],
];

/** Returns how many promises were broken. */
export async function failDisk(cycles: number): Promise<number> {
  const broken = new Broken();
  for (const [fault, what] of TROUBLES.slice(0, cycles)) {
    const field = await aField(SETTINGS);
    const faults = Faults.make(field.home.folder);
    if (faults) await failOnce(field, faults, fault, what, broken);
    else console.log(`SKIPPED ${what}: there is no C compiler (cc) here`);
    field.remove();
  }
  return broken.count;
}

async function failOnce(field: Field, faults: Faults, fault: Fault, what: string, broken: Broken): Promise<void> {
  const service = await Served.start(field, faults.environment);
  const askers = new Askers(service.caller);
  await askers.areAtWork();
  const before = askers.acknowledgedAfter(0);
  faults.set(fault);
  const failedAt = performance.now();
  const [noticed] = await Promise.all([service.readyzIs(503, FAILING_MS), pause(FAILING_MS)]);
  const during = askers.acknowledgedAfter(failedAt + 100);
  faults.set('fine');
  const recovered = await service.readyzIs(200, RECOVERED_WITHIN_MS);
  await pause(CALM_MS);
  await askers.stop();
  const { code } = await service.stop();
  faults.close();

  const refused = askers.all.flatMap((each) => each.refused);
  const lies = await countLies(field, askers);
  const lost = await lostAfterRestart(field, askers);
  console.log(
    `${what}: ${before} acknowledged before, ${during} while it failed, ${lost} lost; told unknown ${countTold(askers, UNKNOWN)} ` +
      `times, unchanged ${countTold(askers, UNCHANGED)} times, wrongly to ${lies}; refused after asking again as told: ` +
      `${refused.length}; not ready after ${noticed ?? '—'} ms, ready again after ${recovered ?? '—'} ms; stopped with ${code}`,
  );
  broken.where(lost > 0, `${what}: ${lost} acknowledged and lost`);
  broken.where(lies > 0, `${what}: ${lies} were told that nothing was changed where something was`);
  for (const text of refused) broken.where(true, `${what}: refused after asking again as told: ${text}`);
  broken.where(noticed === undefined, `${what}: /readyz does not know`);
  broken.where(recovered === undefined, `${what}: not ready again`);
  broken.where(code !== 0, `${what}: stopped with ${code}`);
}

const UNKNOWN = /may have been made or not/;
const UNCHANGED = /Nothing was changed|changed nothing/;

function countTold(askers: Askers, what: RegExp): number {
  return askers.all.flatMap(({ unavailable }) => unavailable).filter((text) => what.test(text)).length;
}

/** Callers with a retry in the event log: their token was spent, though every answer said otherwise. */
async function countLies({ path }: Field, askers: Askers): Promise<number> {
  const database = new DatabaseSync(path, { readOnly: true });
  const [row] = database.prepare("SELECT count(*) AS retried FROM events WHERE type IN ('retried', 'reused')").all();
  database.close();
  const warned = askers.refreshing.filter(({ unavailable }) => unavailable.some((text) => UNKNOWN.test(text))).length;
  return Math.max(0, Number(row?.['retried']) - warned);
}

async function lostAfterRestart(field: Field, askers: Askers): Promise<number> {
  const again = await Served.start(field);
  const lost = await countLost(askers, again.caller);
  await again.stop();
  return lost;
}
