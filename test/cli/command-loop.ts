// The process of test/cli/commands.ts. Reads a command as a line of JSON from descriptor 3, runs it, and writes its exit code there.
import { closeSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { runCommand } from '../../src/cli/run.ts';
import type { Command } from './commands.ts';

// `serve` keeps its listeners until its process ends, and may run often here.
for (const emitter of [process, process.stdout]) emitter.setMaxListeners(0);

const channel = new Socket({ fd: 3 });
for await (const line of createInterface({ input: channel })) {
  const { args, folder, input = '/dev/null' } = JSON.parse(line) as Command;
  process.chdir(folder);
  closeSync(0);
  openSync(input, 'r'); // the lowest free descriptor is that of standard input

  process.exitCode = 0;
  await runCommand(args);
  await nextTurn(); // log lines are written at the end of a turn
  channel.write(`${process.exitCode}\n`);
}
process.exitCode = 0;
