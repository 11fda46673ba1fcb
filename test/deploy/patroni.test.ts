// The failover drill uses the file that operators get, unchanged where possible.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'yaml';
import { memberConfiguration, SHIPPED } from '../../lab/chaos/patroni/member.ts';

const PLACE = {
  name: 'filled',
  folder: 'filled',
  database: 'filled',
  rest: 'filled',
  etcd: 'filled',
  binaries: 'filled',
  certificate: 'filled',
  key: 'filled',
  password: 'filled',
};

/** Every setting with its path. */
function settings(tree: unknown, path = ''): [path: string, value: unknown][] {
  if (typeof tree !== 'object' || tree === null) return [[path, tree]];
  return Object.entries(tree).flatMap(([key, value]) => settings(value, path === '' ? key : `${path}.${key}`));
}

const shipped = new Map(settings(parse(SHIPPED)));
const tried = new Map(settings(parse(memberConfiguration(PLACE))));

test('the drill changes names, addresses, folders and passwords of deploy/postgres/patroni.yml, and the watchdog', () => {
  assert.deepEqual([...tried.keys()], [...shipped.keys()]);
  const changed = [...tried].filter(([path, value]) => value !== shipped.get(path)).map(([path]) => path);
  const ofThePlace =
    /^name$|^etcd3\.hosts$|\.(?:listen|connect_address|password|\w+_file|\w+_dir|pgpass|unix_socket_directories)$/;
  assert.deepEqual(
    changed.filter((path) => !ofThePlace.test(path)),
    ['watchdog.mode'],
  );
});

test('every password in the file is a placeholder', () => {
  const passwords = [...shipped].filter(([path]) => path.endsWith('password'));
  assert.ok(passwords.length >= 3);
  for (const [path, value] of passwords) assert.equal(value, 'change-me', path);
});

test('the file demands synchronous replication and encrypted connections', () => {
  assert.equal(shipped.get('bootstrap.dcs.synchronous_mode'), true);
  assert.equal(shipped.get('bootstrap.dcs.synchronous_mode_strict'), true);
  assert.equal(shipped.get('bootstrap.dcs.postgresql.parameters.synchronous_commit'), 'on');
  const remote = [...shipped].filter(([path]) => path.startsWith('postgresql.pg_hba.')).slice(1);
  assert.ok(remote.length >= 3);
  for (const [, line] of remote) assert.match(String(line), /^hostssl .* scram-sha-256$/);
});
