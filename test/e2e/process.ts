// The service as a process of its own, so that it can be killed.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Home } from './service.ts';

export interface ServiceProcess {
  readonly port: number;
  readonly process: ChildProcess;
  /** Like a power failure. */
  kill(): Promise<void>;
}

export async function startProcess({ configFile }: Pick<Home, 'configFile'>): Promise<ServiceProcess> {
  const entry = fileURLToPath(new URL('process-entry.ts', import.meta.url));
  const child = spawn(process.execPath, [entry, configFile], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout });
  const port = await new Promise<number>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the service ended with ${code} before it listened`)));
    lines.on('line', (line) => {
      const [, found] = /^listening .*:(\d+)$/.exec(line) ?? [];
      if (found) resolve(Number(found));
    });
  });
  return {
    port,
    process: child,
    kill: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await exit;
    },
  };
}
