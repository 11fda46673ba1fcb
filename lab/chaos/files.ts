// Deletes, replaces and truncates store files under a running service: nothing is acknowledged that is not stored.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { Askers } from './askers.ts';
import { Broken } from './broken.ts';
import { aField, endOfStart, type Field, Served } from './served.ts';

const TROUBLED_MS = 1_500;
/** The check runs once a second; the rest is for a busy machine. */
const NOTICED_WITHIN_MS = 3_000;

interface Damage {
  readonly what: string;
  readonly inflict: (path: string) => void;
  /** Whether a service may start on the damaged store. */
  readonly isMissingAfter: boolean;
}

const DAMAGES: readonly Damage[] = [
  {
    what: 'database and WAL deleted',
    inflict: deleteAll,
    isMissingAfter: true,
  },
  { what: 'WAL deleted', inflict: (path) => rmSync(`${path}-wal`), isMissingAfter: false },
  { what: 'WAL cut to nothing', inflict: (path) => truncateSync(`${path}-wal`, 0), isMissingAfter: false },
  { what: 'WAL cut to 32 kB', inflict: (path) => truncateSync(`${path}-wal`, 32_768), isMissingAfter: false },
  { what: 'database cut to nothing', inflict: (path) => truncateSync(path, 0), isMissingAfter: true },
  { what: 'database replaced', inflict: replace, isMissingAfter: false },
];

function deleteAll(path: string): void {
  for (const name of ['', '-wal', '-shm']) rmSync(path + name);
}

/** Like restoring a copy under a running service. */
function replace(path: string): void {
  writeFileSync(`${path}.copy`, readFileSync(path), { mode: 0o600 });
  renameSync(`${path}.copy`, path);
}

/** Returns how many promises were broken. Runs `cycles` of the damages in turn; by default all of them. */
export async function damageFiles(cycles: number): Promise<number> {
  const broken = new Broken();
  for (let cycle = 0; cycle < Math.min(cycles, DAMAGES.length); cycle++)
    await damageOnce(DAMAGES[cycle] as Damage, broken);
  return broken.count;
}

async function damageOnce({ what, inflict, isMissingAfter }: Damage, broken: Broken): Promise<void> {
  const field = await aField();
  const service = await Served.start(field);
  const askers = new Askers(service.caller);
  await askers.areAtWork();
  const before = askers.acknowledgedAfter(0);
  inflict(field.path);
  const damagedAt = performance.now();
  const [noticed] = await Promise.all([service.readyzIs(503, NOTICED_WITHIN_MS), pause(TROUBLED_MS)]);
  const after = askers.acknowledgedAfter(damagedAt);
  await askers.stop();
  const left = fingerprint(field.path);
  const alarms = service.log.filter(({ msg, check }) => msg === 'not ready' && check === 'files').length;
  const { code, tookMs } = await service.stop();
  console.log(
    `${what}: ${before} acknowledged before, ${after} after it; not ready after ${noticed ?? '—'} ms; ` +
      `${alarms} alarm; stopped with ${code} in ${tookMs} ms`,
  );
  broken.where(after > 0, `${what}: ${after} acknowledged, and not stored`);
  broken.where(noticed === undefined, `${what}: /readyz does not know`);
  broken.where(alarms === 0, `${what}: no alarm in the log`);
  broken.where(code !== 0, `${what}: stopped with ${code}`);
  broken.where(fingerprint(field.path) !== left, `${what}: what was left was written over at the end`);
  for (const fault of service.faults()) broken.where(true, `${what}: ${fault}`);
  if (isMissingAfter) await startAgain(what, field, broken);
  field.remove();
}

async function startAgain(what: string, field: Field, broken: Broken): Promise<void> {
  const existed = existsSync(field.path);
  const end = await endOfStart(field);
  console.log(`${what}: a service that starts on what is left ends with ${end}`);
  broken.where(end === 'listens' || end === 0, `${what}: a service started on no store`);
  broken.where(existsSync(field.path) !== existed, `${what}: a service made a store`);
}

function fingerprint(path: string): string {
  const contents = ['', '-wal'].map((name) => (existsSync(path + name) ? readFileSync(path + name) : 'none'));
  return contents.map((each) => createHash('sha256').update(each).digest('hex')).join(' ');
}
