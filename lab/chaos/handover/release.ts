// Another commit of this project, to run beside this one.
import { execFileSync } from 'node:child_process';
import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { SetUp } from '../../../test/e2e/service.ts';
import { temporaryFolder } from '../../../test/temporary-folder.ts';

const ROOT = join(import.meta.dirname, '../../..');

export interface Release {
  readonly name: string;
  readonly folder: string;
  readonly isThis: boolean;
  remove(): void;
}

export const THIS_RELEASE: Release = { name: 'this release', folder: ROOT, isThis: true, remove: () => undefined };

/** The files of a commit in a folder of their own, with the packages of this checkout. */
export function releaseAt(commit: string): Release {
  const folder = temporaryFolder('release');
  const archive = execFileSync('git', ['-C', ROOT, 'archive', commit], { maxBuffer: 2 ** 30 });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return { name: commit, folder, isThis: false, remove: () => rmSync(folder, { recursive: true }) };
}

/** The commit of the last release. */
export function lastRelease(): string {
  const args = ['-C', ROOT, 'log', '-1', '--format=%H', '--grep=^release: [0-9]'];
  return execFileSync('git', args, { encoding: 'utf8' }).trim();
}

/** Only settings that older releases have too; the defaults for the rest. */
export const FOR_ANY_RELEASE: SetUp = {
  listeners: [{ tls: true, doors: undefined }],
  settings: {
    limits: {
      ...{ stopNotice: undefined, drainIdle: undefined, queueMilliseconds: undefined, checksPerAddress: undefined },
      ...{ grantsPerIdentity: undefined, grantsPerIntegration: undefined },
      ...{ refreshesPerGrant: undefined, refreshesPerIdentity: undefined },
    },
  },
};
