// Servers of a directory that somebody else answers for, or that stop in the middle.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { after, before, suite, type TestContext, test } from 'node:test';
import { DirectoryAway } from '../../../src/core/faults.ts';
import { type LdapSettings, ldapDirectory } from '../../../src/directory/ldap/ldap-directory.ts';
import { Secret } from '../../../src/tokens/secret.ts';
import { TestClock } from '../../node.ts';
import { addPerson, type Slapd, startSlapd } from './slapd.ts';

let slapd: Slapd;
const clock = new TestClock();

before(async () => {
  slapd = await startSlapd();
  await addPerson(slapd, 'ada');
});
after(() => slapd.stop());

/** LDAP result messages: `id` is that of the request. */
const EXTENDED = (id: number, code: number) => Buffer.from([0x30, 12, 2, 1, id, 0x78, 7, 10, 1, code, 4, 0, 4, 0]);
const BOUND = (id: number) => Buffer.from([0x30, 12, 2, 1, id, 0x61, 7, 10, 1, 0, 4, 0, 4, 0]);

interface Fake {
  readonly url: string;
  /** Everything that was received without TLS. */
  readonly received: () => Buffer;
  readonly connections: () => number;
}

async function fakeServer(t: TestContext, answer: (socket: Socket, count: number) => void): Promise<Fake> {
  const chunks: Buffer[] = [];
  const sockets: Socket[] = [];
  const server: Server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.once('data', () => answer(socket, sockets.length));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `ldap://localhost:${port}`,
    received: () => Buffer.concat(chunks),
    connections: () => sockets.length,
  };
}

function directory(url: string, difference: Partial<LdapSettings> = {}) {
  return ldapDirectory({ ...slapd.settings, servers: [url], timeoutMs: 500, ...difference }, clock.now);
}

/** Neither the name nor the password of anybody was sent in the clear. */
function assertNothingGiven({ received }: Fake): void {
  const text = received().toString('latin1');
  assert.doesNotMatch(text, /the password of|cn=tessera|ada/);
}

suite('without TLS nothing is sent', () => {
  const password = new Secret('the password of ada');
  const attempts = async (url: string) => {
    const corp = directory(url);
    await assert.rejects(corp.byUserName('ada'), DirectoryAway);
    await assert.rejects(directory(url).passwords.check('ada', password, false), DirectoryAway);
  };

  test('to a server that refuses StartTLS', async (t) => {
    const fake = await fakeServer(t, (socket) => socket.write(EXTENDED(1, 2)));
    await attempts(fake.url);
    assertNothingGiven(fake);
  });

  test('to one that answers everything at once, before TLS begins', async (t) => {
    const fake = await fakeServer(t, (socket) =>
      socket.write(Buffer.concat([EXTENDED(1, 0), BOUND(2), BOUND(3), BOUND(1)])),
    );
    await attempts(fake.url);
    assertNothingGiven(fake);
  });
});

test('a server that hangs delays one caller, not everybody who comes meanwhile', async (t) => {
  const fake = await fakeServer(t, () => undefined);
  const corp = directory(fake.url, { timeoutMs: 300 });
  await assert.rejects(corp.byUserName('ada'), DirectoryAway);
  // It is tried again after three seconds: by one of these.
  await new Promise((resolve) => setTimeout(resolve, 3_100));
  const times = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const begun = performance.now();
      await assert.rejects(corp.byUserName('ada'), DirectoryAway);
      return performance.now() - begun;
    }),
  );
  assert.equal(fake.connections(), 2);
  assert.ok(times.filter((time) => time > 250).length <= 4, times.join(' '));
});

test('a wrong password, and a file without certificates, are called so', async () => {
  const file = (name: string, contents: string) => {
    writeFileSync(`${slapd.folder}/${name}`, contents);
    return `${slapd.folder}/${name}`;
  };
  const problem = async (difference: Partial<LdapSettings>) => {
    const steps = await Array.fromAsync(directory(slapd.secureUrl, difference).elsewhere?.examine('ada') ?? []);
    return steps.find(({ passed }) => !passed)?.words ?? steps.at(-1)?.words;
  };
  assert.match(
    (await problem({ passwordFile: file('wrong', 'wrong') })) ?? '',
    /: invalid credentials: .*: look at bindDn and its password$/,
  );
  assert.match((await problem({ authorities: file('no.pem', 'nothing') })) ?? '', /no\.pem has no certificate in PEM/);
  assert.match((await problem({ base: 'ou=nobody,dc=example,dc=com' })) ?? '', /: no such object: .*: look at base$/);
  assert.match((await problem({})) ?? '', /^uid: cn=ada,ou=people,dc=example,dc=com is corp:/);
});

test('an empty password of the service account is no bind as nobody', async () => {
  const passwordFile = `${slapd.folder}/empty`;
  writeFileSync(passwordFile, '\n');
  await assert.rejects(directory(slapd.secureUrl, { passwordFile }).byUserName('ada'), /is empty/);
});
