// Callers of a service in a machine's network: they get a token, and refresh while one instance hands over to the other.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Machine } from './machine.ts';
import { ROOT } from './shell.ts';

export interface CallerFiles {
  readonly certificate: string;
  readonly key: string;
  readonly ca: string;
}

/** Refreshes through a restart without loss, and throws where one request failed. */
export async function handOver(lab: { machine: Machine; caller: CallerFiles; restart: string }): Promise<void> {
  const { machine, caller, restart } = lab;
  const args = [...machine.inside(), '--net', process.execPath, join(ROOT, 'lab/deploy/caller.ts')];
  const child = spawn('nsenter', args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  child.stdin.write(`${JSON.stringify(caller)}\n`);
  let printed = '';
  const begun = new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (text) => {
      printed += text;
      if (printed.includes('token')) resolve();
    });
    child.once('exit', (code) => reject(new Error(`no token: ${printed} (${code})`)));
  });
  await begun;
  machine.sh(restart);
  child.stdin.end('stop\n');
  const [code] = await ended;
  console.log(printed.trimEnd());
  if (code !== 0) throw new Error('requests failed while one instance took over from the other');
}
