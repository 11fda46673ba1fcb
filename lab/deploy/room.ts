// A minimal Debian with Node and npm and nothing else, entered with bwrap: it shares the network, and sees no file of this machine.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { type DebianOptions, debianRoot } from './debian.ts';
import { run } from './shell.ts';

/** Far longer than anything takes beside busy neighbours. */
const PATIENCE_MS = 20 * 60_000;
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

export class Room {
  readonly folder: string;
  readonly remove: () => void;

  constructor(options: DebianOptions) {
    const { folder, remove } = debianRoot(options);
    [this.folder, this.remove] = [folder, remove];
    run('chroot', [this.folder, 'useradd', '--create-home', '--shell', '/bin/sh', 'guest']);
  }

  /** Runs commands to their end. What they print is part of the error if they fail. */
  sh(user: string, commands: string): string {
    return run('bwrap', this.#args(user, commands));
  }

  /** Starts commands, and resolves as soon as they print this. */
  async start(user: string, commands: string, awaited: string): Promise<Running> {
    const child = spawn('bwrap', this.#args(user, commands), { stdio: ['ignore', 'pipe', 'pipe'] });
    const running = new Running(child);
    await running.until(awaited);
    return running;
  }

  #args(user: string, commands: string): string[] {
    const home = user === 'root' ? '/root' : `/home/${user}`;
    const variables = { PATH, HOME: home, NODE_EXTRA_CA_CERTS: '/etc/ssl/certs/ca-certificates.crt' };
    return [
      ...['--bind', this.folder, '/', '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/run'],
      ...['--perms', '1777', '--tmpfs', '/tmp'],
      ...['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--die-with-parent', '--cap-add', 'ALL', '--clearenv'],
      ...Object.entries(variables).flatMap(([name, value]) => ['--setenv', name, value]),
      ...['--chdir', home, 'runuser', '-u', user, '--', 'sh', '-ec', commands],
    ];
  }
}

/** Commands in a room that go on. */
export class Running {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  printed = '';

  constructor(child: ChildProcess) {
    this.#child = child;
    this.#ended = once(child, 'close');
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => (this.printed += text));
  }

  async until(text: string): Promise<void> {
    const latest = performance.now() + PATIENCE_MS;
    while (!this.printed.includes(text)) {
      const { exitCode, signalCode } = this.#child;
      if (exitCode !== null || signalCode !== null || performance.now() > latest)
        throw new Error(`no "${text}" came:\n${this.printed}`);
      await pause(100);
    }
  }

  /** Everything in the room ends with it, since process 1 of the room does. */
  async stop(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }
}
