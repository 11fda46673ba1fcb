// Runs the commands of docs/postgresql.md, "From nothing", in order: they start two nodes.
// Only in test:all: documents as printed
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { makeAuthority } from '../authority.ts';
import { commandEnvironment, TESSERA } from '../cli/command.ts';
import { Commands } from '../cli/commands.ts';
import { freePort } from '../free-port.ts';
import { shippedRoles, sqlAfterMigration } from '../store/documented-sql.ts';
import { PostgresServer } from '../store/postgres-server.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const PAGE = readFileSync('docs/postgresql.md', 'utf8');
const SECTION = PAGE.split('## From nothing')[1]?.split('\n## ')[0] ?? '';
const COMMANDS = [...SECTION.matchAll(/^ +(tessera .*)$/gm)].map(([, command = '']) => command);

const folder = temporaryFolder('from-nothing');
const [first, second] = [join(folder, 'first'), join(folder, 'second')];
const running: ChildProcess[] = [];
const server = await PostgresServer.start();
const commands = new Commands();
after(async () => {
  for (const child of running) child.kill('SIGKILL');
  await commands.close();
  await server.remove();
  rmSync(folder, { recursive: true });
});

const here = (words: string) =>
  words
    .replace('db.example.com', `127.0.0.1:${server.port}`)
    .replace('/etc/tessera/', `${folder}/`)
    .replaceAll("'", '') // a shell removes the quotes
    .split(' ')
    .slice(1);

async function run(command: string, where = first): Promise<string> {
  const { status, printed } = await commands.run(here(command), { folder: where });
  assert.equal(status, 0, `${command}\n${printed}`);
  return printed;
}

async function serve(where: string): Promise<string> {
  const port = await freePort();
  const sets = [`listeners.0.port=${port}`, 'listeners.0.host=127.0.0.1', 'listeners.1.port=0']; // both nodes are here
  const args = [TESSERA, ...sets.flatMap((set) => ['--set', set]), 'serve'];
  const child = spawn(process.execPath, args, {
    cwd: where,
    env: commandEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.push(child);
  let log = '';
  child.stdout.on('data', (text) => {
    log += text;
  });
  while (!log.includes('"msg":"ready"')) {
    assert.equal(child.exitCode, null, log);
    await pause(20);
  }
  return log;
}

test('the commands of the page set up two running nodes from an empty server', async () => {
  const [migrate = '', init = '', doctor = '', start = ''] = COMMANDS;
  assert.deepEqual(
    [COMMANDS.length, ...[migrate, init, doctor, start].map((command) => command.split(' ')[1])],
    [4, 'migrate-schema', 'init', 'doctor', 'serve'],
  );
  mkdirSync(first);
  writeFileSync(join(folder, 'database'), 'a password\n', { mode: 0o600 });
  await server.query('CREATE DATABASE tessera');
  await server.query(shippedRoles().replace(/^\\c .*$/m, ''), 'tessera');

  const early = await commands.run(here(init), { folder: first });
  assert.equal(early.status, 4, early.printed);
  assert.match(early.printed, /no schema yet.*\n.*tessera migrate-schema/);
  rmSync(join(first, 'tessera.yaml'));

  assert.match(await run(migrate), /has schema \d+ now/);
  assert.match(
    await run(init),
    /Wrote .*tessera.yaml\nLeft the database.*\nMade the keyring .*\nRegistered orders-sync/,
  );
  await server.query(sqlAfterMigration(), 'tessera');
  const authority = makeAuthority();
  const { pem, key } = authority.issue({ dnsNames: ['tokens.example.com'], usages: ['1.3.6.1.5.5.7.3.1'] });
  writeFileSync(join(first, 'data/server.crt'), pem);
  writeFileSync(join(first, 'data/server.key'), key, { mode: 0o600 });
  assert.doesNotMatch(await run(doctor), /^FAIL/m);
  await serve(first);

  cpSync(first, second, { recursive: true });
  assert.match(await run('tessera init', second), /Left the configuration.*\nLeft the database.*\nLeft the keyring/);
  await serve(second);
  for (const child of running) {
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'exit');
  }
});

test('init completes an existing configuration file', async () => {
  const own = join(folder, 'own');
  mkdirSync(own);
  await server.query('CREATE DATABASE own');
  writeFileSync(join(own, 'tessera.yaml'), `dataFolder: ./data\nstore: ${server.url('own')}\n`);
  const before = await commands.run(['serve'], { folder: own });
  assert.equal(before.status, 5, before.printed);
  assert.match(before.printed, /no keyring yet.*tessera init/);
  assert.match(await run('tessera init', own), /Left the configuration.*\nLeft the database.*\nMade the keyring/);
  assert.match(await run('tessera init', own), /Left the configuration.*\nLeft the database.*\nLeft the keyring/);
});
