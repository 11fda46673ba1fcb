// A Debian machine with systemd, in a container with a network of its own.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { run } from './shell.ts';

export class Machine {
  readonly #nspawn: ChildProcess;
  /** Its process 1, as this machine numbers it. */
  readonly pid: number;

  private constructor(nspawn: ChildProcess, pid: number) {
    [this.#nspawn, this.pid] = [nspawn, pid];
  }

  static async boot(root: string): Promise<Machine> {
    const isolation = ['--private-network', '--register=no', '--keep-unit', '--resolv-conf=off', '--link-journal=no'];
    const args = ['--quiet', '--boot', `--directory=${root}`, '--machine=tessera-lab', '--console=pipe', ...isolation];
    const nspawn = spawn('systemd-nspawn', args, { stdio: ['ignore', 'ignore', 'inherit'] });
    const machine = new Machine(nspawn, await initOf(nspawn));
    try {
      await machine.#booted();
    } catch (error) {
      await machine.stop();
      throw error;
    }
    return machine;
  }

  async #booted(): Promise<void> {
    for (let tries = 0; tries < 3000; tries++) {
      try {
        this.sh('systemctl is-active --quiet multi-user.target');
        return;
      } catch {
        await pause(100);
      }
    }
    throw new Error('the machine did not boot');
  }

  /** Runs commands in the machine as root, in the folder of the project there. */
  sh(commands: string): string {
    return run('nsenter', ['--target', String(this.pid), '--all', '--root', '--', '/bin/sh', '-e'], {
      input: `cd /root/tessera\n${commands}`,
      env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/root' },
    });
  }

  async stop(): Promise<void> {
    const ended = once(this.#nspawn, 'exit');
    this.#nspawn.kill('SIGTERM'); // asks the machine to shut down
    const killer = setTimeout(() => this.#nspawn.kill('SIGKILL'), 20_000);
    await ended;
    clearTimeout(killer);
  }
}

/** The process that is 1 in the machine: the only child of nspawn. */
async function initOf({ pid, exitCode }: ChildProcess): Promise<number> {
  for (let tries = 0; tries < 100 && exitCode === null; tries++) {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    if (/^\d+$/.test(children)) return Number(children);
    await pause(100);
  }
  throw new Error('systemd-nspawn started no machine');
}
