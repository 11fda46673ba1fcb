// The units of deploy/systemd: known to systemd, rated by it, and made for commands and settings that exist.
// Needs: systemd
// `npm run lab -- systemd` boots a machine with them.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { loadConfig } from '../../src/config/load.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const UNITS = join(import.meta.dirname, '../../deploy/systemd');
const SERVICES = [
  'tessera@.service',
  'tessera-backup.service',
  'tessera-follow.service',
  'tessera-guard.service',
  'tessera-rotate.service',
] as const;
const MOST_EXPOSURE = 1.5;

const isThere = spawnSync('systemd-analyze', ['--version']).status === 0;
const skip = isThere ? false : 'systemd-analyze is not installed (Debian package systemd)';
const folder = temporaryFolder('units');
after(() => rmSync(folder, { recursive: true }));

const unit = (name: string) => readFileSync(join(UNITS, name), 'utf8');

/** Copies with the command replaced by one that every machine has: systemd looks whether it can be executed. */
function copyOf(name: string): string {
  const path = join(folder, name.replace('@', '@9101'));
  writeFileSync(
    path,
    unit(name).replaceAll('/usr/local/bin/tessera', '/bin/true').replaceAll('/usr/bin/curl', '/bin/true'),
  );
  return path;
}

for (const name of SERVICES) {
  test(`${name} is rated ${MOST_EXPOSURE} or safer by systemd-analyze`, { skip }, () => {
    const args = ['security', '--offline=true', '--no-pager', `--threshold=${MOST_EXPOSURE * 10}`, copyOf(name)];
    const { status, stdout } = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
    const [, exposure] = /Overall exposure level for \S+: ([\d.]+)/.exec(stdout) ?? [];
    assert.ok(Number(exposure) <= MOST_EXPOSURE, stdout);
    assert.equal(status, 0);
  });
}

test('systemd understands every line of the units', { skip }, () => {
  const copies = [...SERVICES, 'tessera-backup.timer', 'tessera-rotate.timer'].map(copyOf);
  const { stderr, status } = spawnSync('systemd-analyze', ['verify', '--man=no', ...copies], { encoding: 'utf8' });
  const ours = stderr.split('\n').filter((line) => line.includes('tessera'));
  assert.deepEqual([status, ours], [0, []]);
});

test('the configuration beside the unit loads with the flags of the unit, and they name what it has', () => {
  const sets = [...unit('tessera@.service').matchAll(/--set (\S+)/g)].map(([, set = '']) =>
    set.replaceAll('%d', '/run/credentials/tessera@9101.service').replaceAll('%i', '9102'),
  );
  assert.equal(sets.length, 3);
  const { listeners } = loadConfig({ file: join(UNITS, 'tessera.yaml'), env: {}, sets });
  const [tokens, ops] = listeners;
  assert.equal(tokens?.tls?.key, '/run/credentials/tessera@9101.service/server.key');
  assert.deepEqual([ops?.host, ops?.port, ops?.doors], ['127.0.0.1', 9102, ['ops']]);
});

test('a stop has more time than requests in flight get by default', () => {
  const { limits } = loadConfig({ file: join(UNITS, 'tessera.yaml'), env: {}, sets: [] });
  const [, seconds] = /^TimeoutStopSec=(\d+)s$/m.exec(unit('tessera@.service')) ?? [];
  assert.ok(Number(seconds) > limits.stopNotice + limits.stopTimeout + 3);
});

for (const name of ['tessera-backup.service', 'tessera-follow.service'])
  test(`${name} has the restrictions of the service, and no network on top`, () => {
    const restrictions = (name: string) =>
      unit(name)
        .slice(unit(name).indexOf('\nCapabilityBoundingSet='))
        .split('\n')
        .filter((line) => /^[A-Z]\w+=/.test(line) && !/^(?:RestrictAddressFamilies|WantedBy)=/.test(line));
    const more = restrictions(name).filter((line) => !restrictions('tessera@.service').includes(line));
    assert.deepEqual(more, ['PrivateNetwork=yes', 'IPAddressDeny=any']);
    const fewer = restrictions('tessera@.service').filter((line) => !restrictions(name).includes(line));
    assert.deepEqual(fewer, []);
  });
