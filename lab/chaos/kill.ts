// kill -9 of a writing process, then reopen: nothing acknowledged is lost, nothing spent works again.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../src/operations/ports.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { systemClock } from '../../src/system.ts';
import { firstKey, Keyring } from '../../src/tokens/keyring.ts';
import { readKeyringFile, writeKeyringFile } from '../../src/tokens/keyring-file.ts';
import { aNode } from '../../test/node.ts';
import type { Seeded } from '../../test/seeded.ts';
import { temporaryFolder } from '../../test/temporary-folder.ts';
import { restartMany } from './restarts.ts';
import { type Verdict, verdict } from './verdict.ts';
import type { Promised } from './writer.ts';

const WRITER = new URL('writer.ts', import.meta.url).pathname;
const LONGEST_LIFE_MS = 150;

export interface KillField {
  readonly folder: string;
  readonly path: string;
  readonly keyringPath: string;
  remove(): void;
}

/** Returns how many promises were broken. */
export async function killMany(cycles: number, chance: Seeded): Promise<number> {
  const field = await killField();
  const total = { promised: 0, broken: 0 };
  for (let cycle = 1; cycle <= cycles; cycle++) {
    const { promised, broken } = await killCycle(field, chance);
    total.promised += promised;
    total.broken += broken.length;
    for (const what of broken) console.error(`cycle ${cycle}: ${what}`);
    if (cycle % 10 === 0) console.log(`${cycle} kills, ${total.promised} promises, ${total.broken} broken`);
  }
  const database = new DatabaseSync(field.path, { readOnly: true });
  console.log(`integrity: ${database.prepare('PRAGMA integrity_check').get()?.['integrity_check']}`);
  database.close();
  console.log(`${cycles} kills: ${total.promised} acknowledged pairs and revocations, ${total.broken} promises broken`);
  if (total.broken === 0) field.remove();
  else console.error(`what was left is in ${field.folder}`);
  return total.broken + (await restartMany(cycles, chance));
}

export async function killField(): Promise<KillField> {
  const folder = temporaryFolder('kill');
  const [path, keyringPath] = [join(folder, 'tessera.db'), join(folder, 'keyring.json')];
  writeKeyringFile(keyringPath, firstKey());
  await (await openNode({ path, keyringPath })).store.close();
  return { folder, path, keyringPath, remove: () => rmSync(folder, { recursive: true }) };
}

/** One run and kill of a writing process, and the findings afterwards. */
export async function killCycle(field: KillField, chance: Seeded): Promise<Verdict> {
  const promised = await lifeAndDeath(field, chance.below(LONGEST_LIFE_MS));
  const node = await openNode(field);
  try {
    return await verdict(promised, node);
  } finally {
    await node.store.close();
  }
}

async function lifeAndDeath({ path, keyringPath }: KillField, lifeMs: number): Promise<Promised[]> {
  const child = spawn(process.execPath, [WRITER, path, keyringPath], { stdio: ['ignore', 'pipe', 'inherit'] });
  const promised: Promised[] = [];
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => {
    if (line.endsWith('}')) promised.push(JSON.parse(line)); // the kill may truncate the last line
  });
  const ended = Promise.all([once(child, 'exit'), once(lines, 'close')]);
  await Promise.race([once(lines, 'line'), ended]);
  await sleep(lifeMs);
  child.kill('SIGKILL');
  const [[, signal]] = await ended;
  if (signal !== 'SIGKILL') throw new Error('the writing process ended by itself');
  return promised;
}

export async function openNode(
  { path, keyringPath }: Pick<KillField, 'path' | 'keyringPath'>,
  clock: Clock = systemClock,
) {
  const store = await openSqliteStore({ path, clock: () => clock.now() });
  return aNode(store, { keyring: new Keyring(readKeyringFile(keyringPath) ?? []), clock });
}
