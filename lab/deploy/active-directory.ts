// A real Active Directory domain on loopback, by Debian's Samba: what Tessera sees of it. Needs root, the package samba-ad-dc (or samba),
// and the ports 389 and 636.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { seconds } from '../../src/core/time.ts';
import { type LdapSettings, ldapDirectory } from '../../src/directory/ldap/ldap-directory.ts';
import { systemClock } from '../../src/system.ts';
import { Secret } from '../../src/tokens/secret.ts';
import { makeAuthority } from '../../test/authority.ts';
import { SERVER_AUTH } from '../../test/e2e/service.ts';
import { eventually } from '../../test/eventually.ts';
import { temporaryFolder } from '../../test/temporary-folder.ts';

const BASE = 'DC=corp,DC=example';
const FILE_TIME_EPOCH = 11_644_473_600;
const passwordOf = (name: string) => `The-passw0rd-of-${name}`;

export async function onActiveDirectory(): Promise<void> {
  if (process.getuid?.() !== 0 || spawnSync('samba-tool', ['--version']).status !== 0)
    return console.log('SKIPPED: needs root and samba-tool (apt-get install samba-ad-dc)');
  const domain = provision();
  const server = spawn('samba', ['--interactive', '--model=single', ...domain.options], { stdio: 'ignore' });
  try {
    await eventually('the domain answers', async () => (await stepsOf(domain.settings)).every(({ passed }) => passed));
    for (const [claim, prove] of CLAIMS) {
      await prove(domain);
      console.log(`ok  ${claim}`);
    }
  } finally {
    server.kill('SIGTERM');
  }
}

interface Domain {
  readonly options: readonly string[];
  readonly settings: LdapSettings;
  readonly tool: (...args: string[]) => void;
  readonly set: (name: string, attribute: string, value: string) => void;
}

function provision(): Domain {
  const folder = temporaryFolder('domain');
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text, { mode: 0o600 });
    return join(folder, name);
  };
  const authority = makeAuthority();
  const { pem, key } = authority.issue({ commonName: 'localhost', dnsNames: ['localhost'], usages: [SERVER_AUTH] });
  const authorities = file('ca.pem', authority.pem);
  const tls = { cafile: authorities, certfile: file('dc.crt', pem), keyfile: file('dc.key', key) };
  run('samba-tool', [
    ...['domain', 'provision', '--realm=CORP.EXAMPLE', '--domain=CORP', '--server-role=dc', '--dns-backend=NONE'],
    ...['--host-name=dc1', '--host-ip=127.0.0.1', `--adminpass=${passwordOf('admin')}`, `--targetdir=${folder}`],
    ...['--option=interfaces=lo', '--option=bind interfaces only=yes'],
  ]);
  const configured = `--configfile=${join(folder, 'etc', 'smb.conf')}`;
  const tool = (...args: string[]) => run('samba-tool', [...args, configured]);
  const database = join(folder, 'private', 'sam.ldb');
  const set = (name: string, attribute: string, value: string) =>
    run(
      'ldbmodify',
      ['-H', database],
      `dn: CN=${name},CN=Users,${BASE}\nchangetype: modify\nreplace: ${attribute}\n${attribute}: ${value}\n`,
    );
  for (const name of ['tessera', 'ada', 'bob', 'carol', 'dave'])
    tool('user', 'create', name, passwordOf(name), `--mail-address=${name}@corp.example`);
  tool('group', 'addmembers', 'Windows Authorization Access Group', 'tessera');
  for (const name of ['Ops', 'Engineers', 'Everybody']) tool('group', 'add', name);
  tool('group', 'addmembers', 'Ops', 'ada');
  tool('group', 'addmembers', 'Engineers', 'Ops');
  tool('group', 'addmembers', 'Everybody', 'Engineers');
  tool('domain', 'passwordsettings', 'set', '--account-lockout-threshold=3');
  return {
    tool,
    set,
    options: [
      configured,
      '--option=server services=ldap',
      ...Object.entries(tls).map(([name, path]) => `--option=tls ${name}=${path}`),
    ],
    settings: {
      label: 'corp',
      kind: 'active-directory',
      servers: ['ldaps://localhost', 'ldap://localhost'],
      authorities,
      bindDn: `CN=tessera,CN=Users,${BASE}`,
      passwordFile: file('password', passwordOf('tessera')),
      base: BASE,
      filter: '(&(objectCategory=person)(objectClass=user))',
      attributes: {},
      groups: { from: 'token-groups', base: `CN=Users,${BASE}`, nameAttribute: 'cn', memberAttribute: 'member' },
      recheckAfter: seconds(300),
      trustFor: seconds(86_400),
      timeoutMs: 5_000,
    },
  };
}

function run(command: string, args: readonly string[], input = ''): void {
  const { status, stderr } = spawnSync(command, args, { encoding: 'utf8', input });
  if (status !== 0) throw new Error(`${command} ${args.slice(0, 3).join(' ')}: ${stderr}`);
}

const corpOf = (settings: LdapSettings) => ldapDirectory(settings, systemClock.now);
const stepsOf = (settings: LdapSettings) => Array.fromAsync(corpOf(settings).elsewhere?.examine() ?? []);
const signIn = async ({ settings }: Domain, name: string, password = passwordOf(name)) =>
  (await corpOf(settings).passwords.check(name, new Secret(password), false))?.identity.enabled;

const CLAIMS: readonly (readonly [string, (domain: Domain) => Promise<void>])[] = [
  [
    'LDAPS and StartTLS: a person is found by user name, UPN and e-mail, and again by objectGUID',
    async ({ settings }) => {
      for (const server of settings.servers) {
        const { byUserName, byUpn, byEmail, elsewhere } = corpOf({ ...settings, servers: [server] });
        const [ada] = await byUserName('ADA');
        assert.match(ada?.id ?? '', /^corp:\{[0-9a-f-]{36}\}$/);
        assert.deepEqual([await byUpn('ada@corp.example'), await byEmail('ada@corp.example')], [[ada], [ada]]);
        assert.ok(ada);
        assert.deepEqual(await elsewhere?.again(ada), ada);
      }
    },
  ],
  [
    'groups in groups by tokenGroups',
    async ({ settings }) => {
      const groups = (await corpOf(settings).byUserName('ada'))[0]?.groups ?? [];
      for (const name of ['corp/Ops', 'corp/Engineers', 'corp/Everybody', 'corp/Domain Users'])
        assert.ok(groups.includes(name), `${name}: ${groups.join(', ')}`);
    },
  ],
  [
    'sign-in with the right password only, and never with an empty one',
    async (domain) => {
      assert.equal(await signIn(domain, 'ada'), true);
      for (const wrong of ['', 'wrong']) assert.equal(await signIn(domain, 'ada', wrong), undefined);
    },
  ],
  [
    'a disabled account has ended, and is back when it is enabled',
    async (domain) => {
      const state = async () => (await corpOf(domain.settings).byUserName('bob'))[0]?.enabled;
      domain.tool('user', 'disable', 'bob');
      assert.deepEqual([await state(), await signIn(domain, 'bob')], [false, undefined]);
      domain.tool('user', 'enable', 'bob');
      assert.deepEqual([await state(), await signIn(domain, 'bob')], [true, true]);
    },
  ],
  [
    'an expired account has ended',
    async (domain) => {
      const expiry = BigInt(systemClock.now() - 60 + FILE_TIME_EPOCH) * 10_000_000n;
      domain.set('carol', 'accountExpires', String(expiry));
      const [carol] = await corpOf(domain.settings).byUserName('carol');
      assert.deepEqual([carol?.enabled, await signIn(domain, 'carol')], [false, undefined]);
    },
  ],
  [
    'an account that wrong guesses locked, or whose password has to be changed, cannot sign in, but has not ended',
    async (domain) => {
      const state = async () => (await corpOf(domain.settings).byUserName('dave'))[0]?.enabled;
      for (let tried = 0; tried < 4; tried++) await signIn(domain, 'dave', 'wrong');
      assert.deepEqual([await signIn(domain, 'dave'), await state()], [undefined, true]);
      domain.tool('user', 'unlock', 'dave');
      assert.equal(await signIn(domain, 'dave'), true);
      domain.set('dave', 'pwdLastSet', '0');
      assert.deepEqual([await signIn(domain, 'dave'), await state()], [undefined, true]);
    },
  ],
  [
    'a new name and place keep the id; a deleted account cannot be seen',
    async (domain) => {
      const { byUserName, elsewhere } = corpOf(domain.settings);
      const [bob] = await byUserName('bob');
      assert.ok(bob);
      domain.tool('ou', 'create', 'OU=Moved');
      domain.tool('user', 'move', 'bob', 'OU=Moved');
      domain.tool('user', 'rename', 'bob', '--samaccountname=robert');
      assert.equal((await elsewhere?.again(bob))?.userName, 'robert');
      domain.tool('user', 'delete', 'robert');
      assert.equal(await elsewhere?.again(bob), undefined);
    },
  ],
];
