// Many processes share one token file while they are killed, the disk fills up and the server restarts. Their grant can be
// made only once, so a grant that is lost stays lost and is found.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { parseTokens } from '../../sdk/client/src/tokens.ts';
import { startProcess } from '../../test/e2e/process.ts';
import type { Home } from '../../test/e2e/service.ts';
import type { Seeded } from '../../test/seeded.ts';
import { Broken } from './broken.ts';
import { Faults } from './faults.ts';
import { aTokenField, LIFETIME_S, makeGrant, type TokenField } from './token-field.ts';
import { TokenHolders } from './token-holders.ts';

const PROCESSES = 50;

/** Each cycle is one expiry. Returns the number of broken promises. */
export async function shareTokenFile(cycles: number, chance: Seeded, processes = PROCESSES): Promise<number> {
  const field = await aTokenField();
  const faults = Faults.make(field.folder, 'tokens.json');
  if (!faults) console.log('there is no C compiler (cc): the disk is never full');
  let service = await startProcess(field.home);
  await makeGrant(field);
  const watch = watchFile(field.file);
  const holders = new TokenHolders(field, faults?.environment ?? {}, processes);
  await holders.allStarted();
  const broken = new Broken();
  for (let cycle = 1; cycle <= cycles; cycle++) {
    const ends = performance.now() + LIFETIME_S * 1000;
    const isFull = cycle % 3 === 0;
    const isRestart = cycle % 4 === 2;
    if (isFull) faults?.set('no-new-space');
    if (isRestart) await service.kill();
    while (performance.now() < ends - (LIFETIME_S * 1000) / 2) await holders.killOne(chance);
    if (isRestart) service = await startProcess(field.home);
    faults?.set('fine');
    while (performance.now() < ends) await holders.killOne(chance);
    if (isFull || isRestart) await refreshedSoon(field, broken, `cycle ${cycle}`);
  }
  const told = await holders.stop();
  const { reads, torn } = watch.stop();
  await service.kill();
  const events = eventsOf(field.home);
  for (const [reason, words] of told.failures) {
    const isExpected = ['unavailable', 'storage'].includes(reason);
    broken.where(!isExpected, `${reason}, ${words.length} times: ${words[0]}`);
  }
  broken.where(torn.length > 0, `the file was torn or missing ${torn.length} times in ${reads} reads: ${torn[0]}`);
  for (const type of ['reused', 'revoked'])
    broken.where((events[type] ?? 0) > 0, `events of type ${type}: ${events[type]}`);
  broken.where((statSync(field.file).mode & 0o777) !== 0o600, 'the mode of the file is not 600');
  broken.where((events['refreshed'] ?? 0) < cycles / 2, `only ${events['refreshed']} refreshes`);
  const count = (reason: string) => told.failures.get(reason)?.length ?? 0;
  console.log(
    `${processes} processes, ${cycles} lifetimes of ${LIFETIME_S} s: ${told.got} tokens handed out, ${holders.killed} processes killed, ` +
      `${events['refreshed'] ?? 0} refreshes and ${events['retried'] ?? 0} retries; ${count('unavailable')} calls failed because the ` +
      `server was away, ${count('storage')} because the disk was full; ${reads} reads of the file, ${torn.length} torn; ` +
      `${events['reused'] ?? 0} reuses, ${count('invalid_grant')} invalid_grant`,
  );
  await field.remove();
  return broken.count;
}

/** A new pair within a few lifetimes after a fault has ended. */
async function refreshedSoon({ file }: TokenField, broken: Broken, when: string): Promise<void> {
  const began = Date.now();
  const obtainedAt = () => parseTokens(readFileSync(file, 'utf8'))?.obtainedAt ?? 0;
  while (obtainedAt() < began && Date.now() < began + 20_000) await pause(50);
  broken.where(obtainedAt() < began, `${when}: no refresh within 20 s after the fault`);
}

/** Reads the file all the time, as any process may. */
function watchFile(file: string): { stop(): { reads: number; torn: string[] } } {
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
  const stop = () => {
    clearInterval(timer);
    return { reads, torn };
  };
  return { stop };
}

function eventsOf({ folder }: Home): Partial<Record<string, number>> {
  const database = new DatabaseSync(join(folder, 'tessera.db'), { readOnly: true });
  const rows = database.prepare('SELECT type, count(*) AS count FROM events GROUP BY type').all();
  database.close();
  return Object.fromEntries(rows.map(({ type, count }) => [String(type), Number(count)]));
}
