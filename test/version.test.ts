import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { versionIn } from '../src/version.ts';
import { temporaryFolder } from './temporary-folder.ts';

const WHO = ['-c', 'user.name=ada', '-c', 'user.email=ada@example.com', '-c', 'commit.gpgSign=false'];

const skip = spawnSync('git', ['--version']).status !== 0 && 'git is not installed';

/** A checkout with one commit. */
function checkout() {
  const folder = temporaryFolder('version');
  const git = (...args: string[]) =>
    execFileSync('git', [...WHO, '-C', folder, ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  git('init', '--initial-branch=main');
  const commit = () => {
    git('commit', '--allow-empty', '--message=x');
    return git('rev-parse', 'HEAD').slice(0, 8);
  };
  return { folder, git, commit, first: commit() };
}

test('a checkout says which commit it is, of a branch or of none', { skip }, () => {
  const { folder, git, commit, first } = checkout();
  assert.equal(versionIn(folder, '1.2.3'), `1.2.3+${first}`);
  const second = commit();
  assert.equal(versionIn(folder, '1.2.3'), `1.2.3+${second}`);
  git('pack-refs', '--all');
  assert.equal(versionIn(folder, '1.2.3'), `1.2.3+${second}`, 'packed');
  git('checkout', '--detach', first);
  assert.equal(versionIn(folder, '1.2.3'), `1.2.3+${first}`, 'detached');
});

test('a worktree says its own commit', { skip }, () => {
  const { folder, git, commit, first } = checkout();
  git('worktree', 'add', '-b', 'other', 'beside');
  assert.notEqual(commit(), first);
  assert.equal(versionIn(join(folder, 'beside'), '1.2.3'), `1.2.3+${first}`);
});

test('without .git, or with one that cannot be read, it is the version of the package', () => {
  const folder = temporaryFolder('version');
  assert.equal(versionIn(folder, '1.2.3'), '1.2.3');
  mkdirSync(join(folder, '.git'));
  for (const head of ['', 'ref: refs/heads/none', 'ref: refs/heads/.invalid', 'no commit']) {
    writeFileSync(join(folder, '.git/HEAD'), head);
    assert.equal(versionIn(folder, '1.2.3'), '1.2.3', head);
  }
});
