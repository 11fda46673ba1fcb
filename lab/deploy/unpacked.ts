// Runs an image with bwrap where containers cannot be started (a sandbox that forbids cgroups or limits): its unpacked root read-only,
// no capability, a foreign user, namespaces of its own, and the image's environment and entry point.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { run } from './shell.ts';

const FOREIGN_USER = 12345;

interface ImageConfig {
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly WorkingDir: string;
}

export interface Unpacked {
  readonly root: string;
  readonly config: ImageConfig;
  /** Its one volume, on this machine. */
  readonly volume: string;
  /** Files of this machine that the container sees, read-only, by their place in it. */
  readonly files: Readonly<Record<string, string>>;
}

export function ownVolume(volume: string): void {
  mkdirSync(volume, { recursive: true, mode: 0o700 });
  for (const path of [volume, ...readdirSync(volume).map((name) => join(volume, name))])
    chownSync(path, FOREIGN_USER, FOREIGN_USER);
}

/** Runs the image's command line to its end. */
export function runUnpacked(image: Unpacked, args: readonly string[]): string {
  return run('setpriv', commandLine(image, args));
}

export interface RunningBox {
  /** Of the process in the box, as this machine numbers it. */
  readonly pid: number;
  readonly child: ChildProcess;
  readonly startedMs: number;
}

/** Resolves when the service says that it is ready. */
export async function startUnpacked(image: Unpacked): Promise<RunningBox> {
  const began = performance.now();
  const child = spawn('setpriv', commandLine(image, image.config.Cmd), { stdio: ['ignore', 'pipe', 'inherit'] });
  const ready = new Promise<void>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => line.includes('"msg":"ready"') && resolve());
  });
  await Promise.race([ready, once(child, 'exit').then(([code]) => Promise.reject(new Error(`it ended with ${code}`)))]);
  return { pid: innermost(child.pid ?? 0), child, startedMs: performance.now() - began };
}

/** The foreign user comes first: bwrap then works as it would for anybody, in a user namespace. */
function commandLine({ root, config, volume, files }: Unpacked, args: readonly string[]): string[] {
  const user = String(FOREIGN_USER);
  const binds = Object.entries(files).flatMap(([inside, path]) => ['--ro-bind', path, inside]);
  const environment = config.Env.flatMap((pair) => {
    const at = pair.indexOf('=');
    return ['--setenv', pair.slice(0, at), pair.slice(at + 1)];
  });
  return [
    ...['--reuid', user, '--regid', user, '--clear-groups', '--no-new-privs', '--', 'bwrap', '--unshare-all'],
    ...['--die-with-parent', '--cap-drop', 'ALL', '--clearenv', ...environment, '--ro-bind', root, '/'],
    ...['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp', '--bind', volume, '/var/lib/tessera', ...binds],
    ...['--chdir', config.WorkingDir, '--', ...config.Entrypoint, ...args],
  ];
}

/** bwrap has one child, which is process 1 of the box, which has one. */
function innermost(pid: number): number {
  const [child] = run('sh', ['-c', `cat /proc/${pid}/task/${pid}/children`])
    .trim()
    .split(' ');
  return child ? innermost(Number(child)) : pid;
}
