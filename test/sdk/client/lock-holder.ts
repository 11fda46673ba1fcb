// Takes a lock again and again, and logs every entry and exit: lock-holder.ts LOCK LOG HOLD_MS
import { appendFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { takeLock } from '../../../sdk/client/src/store/lock-file.ts';

const [, , path = '', log = '', holdMs = '0'] = process.argv;
for (;;) {
  const held = takeLock(path);
  if (held) {
    appendFileSync(log, `enter ${process.pid}\n`);
    await pause(Number(holdMs));
    appendFileSync(log, `leave ${process.pid}\n`);
    held.release();
  }
  await pause(Math.random() * 4);
}
