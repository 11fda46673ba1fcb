// The process of test/cli/commands.ts. Reads a command as a line of JSON from descriptor 3, runs it, and writes its exit code there.
import { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { runCommand } from '../../src/cli/run.ts';
import type { Command } from './commands.ts';

const channel = new Socket({ fd: 3 });
for await (const line of createInterface({ input: channel })) {
  const { args, folder } = JSON.parse(line) as Command;
  process.chdir(folder);
  process.exitCode = 0;
  await runCommand(args);
  channel.write(`${process.exitCode}\n`);
}
process.exitCode = 0;
