import assert from 'node:assert/strict';
import { chmodSync, chownSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { parseAddress } from '../../src/store/postgres/address.ts';
import { StoreUnavailable } from '../../src/store/store.ts';
import { Secret } from '../../src/tokens/secret.ts';
import { makeAuthority } from '../authority.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { openAt } from './postgres-node.ts';
import { PostgresServer } from './postgres-server.ts';

const parse = (url: string, environment = {}) => parseAddress(new Secret(url), environment);

test('hosts, database, user and password are parsed', () => {
  const address = parse('postgres://ada:p%40ss@one:5433,two,[::1]:6000/my%20db?statement_timeout=700');
  assert.deepEqual(address.hosts, [
    { host: 'one', port: 5433 },
    { host: 'two', port: 5432 },
    { host: '::1', port: 6000 },
  ]);
  assert.deepEqual([address.database, address.user, address.password()], ['my db', 'ada', 'p@ss']);
  assert.equal(address.statementTimeoutMs, 700);
});

test('a socket folder can be a host', () => {
  assert.deepEqual(parse('postgres://ada@/db?host=/run/postgresql').hosts, [{ host: '/run/postgresql', port: 5432 }]);
});

test('the password comes from the URL, a file (reread on change) or the environment', () => {
  const folder = temporaryFolder('password');
  const file = join(folder, 'password');
  writeFileSync(file, 'first\n');
  const fromFile = parse(`postgres://ada@h/db?passwordFile=${file}`);
  assert.equal(fromFile.password(), 'first');
  writeFileSync(file, 'second');
  assert.equal(fromFile.password(), 'second');
  assert.equal(parse('postgres://ada@h/db', { PGPASSWORD: 'third' }).password(), 'third');
  rmSync(folder, { recursive: true });
});

test('an error in the URL is reported without its password', () => {
  const mistakes: [string, RegExp][] = [
    ['postgres://ada:hunter2@h', /is not postgres:/],
    ['postgres://ada:hunter2@h/db?ssl=true', /unknown parameter: ssl/],
    ['postgres://ada:hunter2@h/db?sslmode=prefer', /none of disable, require, verify-ca, verify-full/],
    ['postgres://ada:hunter2@h/db?connections=0', /whole number/],
    ['postgres://ada:hunter2@h/db?target_session_attrs=any', /only read-write/],
    ['postgres://ada:hunter2@h/db?passwordFile=x', /one of them/],
    ['postgres://:hunter2@h/db', /no user/],
  ];
  for (const [url, expected] of mistakes) {
    assert.throws(
      () => parse(url),
      (error: Error) => expected.test(error.message) && !error.message.includes('hunter2'),
      url,
    );
  }
});

const authority = makeAuthority();
const stranger = makeAuthority({ name: 'A stranger' });
let server: PostgresServer;
let folder: string;

before(async () => {
  folder = temporaryFolder('tls');
  writeFileSync(join(folder, 'authority.pem'), authority.pem);
  writeFileSync(join(folder, 'stranger.pem'), stranger.pem);
  server = await PostgresServer.prepare({
    settings: ['ssl = on', "ssl_cert_file = 'own.crt'", "ssl_key_file = 'own.key'"],
  });
  const issued = authority.issue({ dnsNames: ['localhost'], usages: ['1.3.6.1.5.5.7.3.1'] });
  for (const [name, text] of [
    ['own.crt', issued.pem],
    ['own.key', issued.key],
  ] as const) {
    writeFileSync(join(server.data, name), text);
    chmodSync(join(server.data, name), 0o600);
    if (process.getuid?.() === 0) chownSync(join(server.data, name), 65534, 65534);
  }
  writeFileSync(join(server.data, 'pg_hba.conf'), 'hostssl all all all trust\n');
  await server.launch('sslmode=no-verify');
});
after(async () => {
  await server.remove();
  rmSync(folder, { recursive: true });
});

const at = (host: string, query: string) => `postgres://postgres@${host}:${server.port}/postgres?${query}`;

test('TLS verifies the server’s authority and name', async () => {
  const known = `sslmode=verify-full&sslrootcert=${join(folder, 'authority.pem')}`;
  await (await openAt(at('localhost', known))).close();
  await assert.rejects(openAt(at('127.0.0.1', known)), /does not match|altnames/i);
  await (await openAt(at('127.0.0.1', known.replace('full', 'ca')))).close();
  const unknown = `sslmode=verify-full&sslrootcert=${join(folder, 'stranger.pem')}`;
  await assert.rejects(openAt(at('localhost', unknown)), StoreUnavailable);
  await assert.rejects(openAt(at('localhost', 'sslmode=verify-ca')), StoreUnavailable);
  await (await openAt(at('localhost', 'sslmode=require'))).close();
});

test('a server that requires TLS refuses a plain connection', async () => {
  await assert.rejects(openAt(at('localhost', 'sslmode=disable')), /no encryption|pg_hba/);
});
