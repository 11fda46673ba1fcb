// kill -9 of the only node, and a start 1 to 60 seconds later: honest retries get their pair, late ones are reuse. The time of the
// store is moved, so that nobody waits.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { refreshTokens } from '../../src/operations/grant/refresh-tokens.ts';
import { grants } from '../../src/store/tables/grants.ts';
import { firstKey } from '../../src/tokens/keyring.ts';
import { writeKeyringFile } from '../../src/tokens/keyring-file.ts';
import { answer, CURL, NOTHING_PRESENTED, type Node } from '../../test/node.ts';
import type { Seeded } from '../../test/seeded.ts';
import { PostgresServer } from '../../test/store/postgres-server.ts';
import { temporaryFolder } from '../../test/temporary-folder.ts';
import { beginNode, LONGEST_WINDOW, openShifted } from './restart-node.ts';
import type { Sent } from './restart-writer.ts';

const WRITER = new URL('restart-writer.ts', import.meta.url).pathname;
const LONGEST_LIFE_MS = 300;
const LONGEST_DOWN = 60;

/** On both stores. Returns how many promises were broken. */
export async function restartMany(cycles: number, chance: Seeded): Promise<number> {
  const folder = temporaryFolder('restarts');
  const keyring = join(folder, 'keyring.json');
  writeKeyringFile(keyring, firstKey());
  const server = await PostgresServer.start();
  await server.query('CREATE DATABASE restarts');
  let broken = 0;
  try {
    for (const store of [join(folder, 'tessera.db'), server.url('restarts')]) {
      const counts = { honest: 0, late: 0 };
      const found: string[] = [];
      for (let [cycle, ahead] = [0, 0]; cycle < cycles; cycle++)
        ahead = await restart(store, keyring, ahead, chance, counts, found);
      const name = store.startsWith('postgres') ? 'PostgreSQL' : 'SQLite';
      console.log(
        `${name}: ${cycles} restarts, ${counts.honest} honest retries, ${counts.late} late ones, ${found.length} broken`,
      );
      for (const what of found) console.error(`${name}: ${what}`);
      broken += found.length;
    }
  } finally {
    await server.remove();
    rmSync(folder, { recursive: true });
  }
  return broken;
}

/** Returns how far the time of the store is ahead afterwards. */
async function restart(
  store: string,
  keyring: string,
  ahead: number,
  chance: Seeded,
  counts: { honest: number; late: number },
  found: string[],
): Promise<number> {
  const sent = await lifeAndDeath(store, keyring, ahead, chance.below(LONGEST_LIFE_MS));
  const down = 1 + chance.below(LONGEST_DOWN);
  const opened = await openShifted(store, keyring, ahead + LONGEST_WINDOW + 1 + down);
  await beginNode(opened);
  const begunAt = opened.shift.seconds;
  const tries = [...sent.values()].map((each) => ({ ...each, ...trial(each, chance) }));
  for (const { is, window, grantId, generation, token, after } of tries.toSorted((a, b) => a.after - b.after)) {
    opened.shift.seconds = Math.max(opened.shift.seconds, begunAt + after);
    const isCommitted = ((await opened.node.store.load(grants, grantId)).found?.row.pair.generation ?? 0) > generation;
    const isLate = isCommitted && (is === 'early' || after > window);
    counts[isLate ? 'late' : 'honest'] += 1;
    const given = await present(token, window, opened.node);
    const expected = isLate ? 'refresh-token-reused' : 'accepted';
    if (given !== expected)
      found.push(`window ${window}, down ${down}, ${after} s after the start (${is}): ${given}, not ${expected}`);
  }
  const end = opened.shift.seconds + 1;
  await opened.close();
  return end;
}

/** When to present the token, in seconds after the start: within the window, or a second after it. A second may pass meanwhile. */
function trial({ is, window }: Sent, chance: Seeded): { readonly after: number } {
  if (is === 'early') return { after: 0 };
  return { after: chance.below(2) === 0 ? chance.below(window - 1) : window + 2 };
}

function present(refreshToken: string, window: number, node: Node): Promise<string> {
  const request = { clientId: `window-${window}`, refreshToken, presenter: CURL, ...NOTHING_PRESENTED };
  return answer(refreshTokens(request, node));
}

/** The last token that was sent for each grant. */
async function lifeAndDeath(store: string, keyring: string, ahead: number, lifeMs: number): Promise<Map<string, Sent>> {
  const child = spawn(process.execPath, [WRITER, store, keyring, String(ahead)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const sent = new Map<string, Sent>();
  const isRunning = Promise.withResolvers<void>();
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => {
    if (!line.endsWith('}')) return; // the kill may truncate the last line
    const each = JSON.parse(line) as Sent;
    sent.set(each.grantId, each);
    if (each.is === 'last') isRunning.resolve();
  });
  const ended = Promise.all([once(child, 'exit'), once(lines, 'close')]);
  await Promise.race([isRunning.promise, ended]);
  await sleep(lifeMs);
  child.kill('SIGKILL');
  const [[, signal]] = await ended;
  if (signal !== 'SIGKILL') throw new Error('the node ended by itself');
  return sent;
}
