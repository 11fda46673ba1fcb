// A real disk that is small or read-only, for commands in a shell. It is mounted in a namespace of its own, which needs no root.
import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { commandEnvironment, TESSERA } from './cli/command.ts';
import { temporaryFolder } from './temporary-folder.ts';

const APART = ['--user', '--map-root-user', '--mount'];
const MOUNT = 'mount -t tmpfs -o size="$SIZE" tmpfs "$DISK"';

const tried = spawnSync('unshare', [...APART, 'sh', '-c', 'mount -t tmpfs tmpfs /tmp'], { encoding: 'utf8' });

/** Why tests are skipped; false if they are not. */
export const noSmallDisk = tried.status !== 0 && `no disk can be mounted here: ${tried.stderr || tried.error?.message}`;

const COMMANDS = `
tessera() { "$NODE" "$TESSERA" "$@" 2>&1; echo "[exit $?]"; }
resize() { mount -o remount,size="$1" "$DISK"; }
fill() { cat /dev/zero > "$DISK/filler" 2>/dev/null; true; }
${MOUNT} && cd "$DISK" || exit 99
`;

/**
 * Runs a script in the folder $DISK, and returns what it prints. Besides the usual commands it has `tessera`, which also prints its
 * exit code, `resize SIZE`, and `fill`, which uses up what is free. $BESIDE is a folder of another disk.
 */
export function onSmallDisk(size: string, script: string, more: Record<string, string> = {}): Promise<string> {
  const beside = temporaryFolder('beside');
  const disk = join(beside, 'disk');
  mkdirSync(disk);
  const names = { SIZE: size, DISK: disk, BESIDE: beside, NODE: process.execPath, TESSERA };
  const env = { ...commandEnvironment(), ...names, ...more };
  return new Promise((resolve, reject) => {
    execFile('unshare', [...APART, 'sh', '-c', COMMANDS + script], { env }, (error, stdout, stderr) =>
      error ? reject(new Error(`${stdout}\n${stderr}`, { cause: error })) : resolve(stdout.replaceAll(beside, '')),
    );
  });
}
