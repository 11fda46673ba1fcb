// One process of a coding agent: refreshes the token in a file that it shares with other processes, without any lock. Its parent kills it.
//   agent-process.ts FILE PORT PATH CLIENT SEED
import { setTimeout as pause } from 'node:timers/promises';
import { Seeded } from '../../test/seeded.ts';
import { type ProcessSays, readShared, writeShared } from './agent-processes.ts';
import { CLIENT_ID } from './contestants.ts';
import { send } from './proxy.ts';

process.once('disconnect', () => process.exit());
const [file = '', port, path = '', client = '', seed] = process.argv.slice(2);
const chance = new Seeded(Number(seed));
const say = (says: ProcessSays) => process.send?.(says);

for (;;) {
  const { token, dueAt } = readShared(file);
  const wait = dueAt - Date.now();
  await pause(wait > 0 ? Math.min(wait, 200) : chance.below(30));
  // Another process may have been faster.
  if (wait > 0 || readShared(file).token !== token) continue;
  say('asks');
  const form = new URLSearchParams({ grant_type: 'refresh_token', client_id: CLIENT_ID, refresh_token: token });
  const answer = await send(Number(port), path, form.toString(), { patienceMs: 5000, client }).catch(() => undefined);
  if (readShared(file).token !== token) continue;
  if (answer?.status === 400) break;
  if (answer?.status === 200) {
    const { refresh_token: next } = JSON.parse(answer.body) as { refresh_token: string };
    writeShared(file, { token: next, dueAt: Date.now() + 1000 + chance.below(1000) });
    say('refreshed');
  } else {
    say('retries');
    await pause(50 + chance.below(150));
  }
}
say('refused');
