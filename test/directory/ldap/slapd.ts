// A real LDAP server with people in it, started by the test that needs it.
// Needs: slapd
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Attribute, Change, Client } from 'ldapts';
import { seconds } from '../../../src/core/time.ts';
import type { LdapSettings } from '../../../src/directory/ldap/ldap-directory.ts';
import { type Authority, makeAuthority } from '../../authority.ts';
import { SERVER_AUTH } from '../../e2e/service.ts';
import { eventually } from '../../eventually.ts';
import { freePort } from '../../free-port.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

export const PEOPLE = 'ou=people,dc=example,dc=com';
export const GROUPS = 'ou=groups,dc=example,dc=com';
const SERVICE = 'cn=tessera,dc=example,dc=com';
const ROOT = 'cn=root,dc=example,dc=com';
const MONITOR = 'cn=monitor';
const ROOT_PASSWORD = 'the password of root';

export type Attributes = Readonly<Record<string, string | readonly string[] | Buffer>>;

export interface Slapd {
  readonly settings: LdapSettings;
  readonly authority: Authority;
  readonly folder: string;
  readonly secureUrl: string;
  readonly plainUrl: string;
  readonly add: (dn: string, attributes: Attributes) => Promise<void>;
  readonly set: (dn: string, attribute: string, ...values: string[]) => Promise<void>;
  readonly unset: (dn: string, attribute: string) => Promise<void>;
  readonly rename: (dn: string, next: string) => Promise<void>;
  readonly remove: (dn: string) => Promise<void>;
  /** Adds many entries, written as LDIF, while it is stopped. */
  readonly load: (ldif: string) => Promise<void>;
  /** How many searches it has answered. */
  readonly searches: () => Promise<number>;
  readonly pid: () => number;
  /** Resolves once it does nothing any more. */
  readonly pause: () => Promise<void>;
  readonly resume: () => void;
  readonly stop: () => Promise<void>;
  readonly start: () => Promise<void>;
}

/** What Active Directory has, with its matching rules, and no more of it than Tessera reads. */
const ACTIVE_DIRECTORY = [
  ...[
    ['1', 'objectGUID', 'octetStringMatch', '40'],
    ['2', 'objectSid', 'octetStringMatch', '40'],
    ['3', 'tokenGroups', 'octetStringMatch', '40'],
    ['4', 'sAMAccountName', 'caseIgnoreMatch', '15'],
    ['5', 'userPrincipalName', 'caseIgnoreMatch', '15'],
    ['6', 'userAccountControl', 'integerMatch', '27'],
    ['7', 'accountExpires', 'integerMatch', '27'],
    ['8', 'msDS-User-Account-Control-Computed', 'integerMatch', '27'],
    ['9', 'pwdLastSet', 'integerMatch', '27'],
  ].map(
    ([oid, name, rule, syntax]) =>
      `attributetype ( 1.3.6.1.4.1.99999.1.${oid} NAME '${name}' EQUALITY ${rule} SYNTAX 1.3.6.1.4.1.1466.115.121.1.${syntax} )`,
  ),
  `objectclass ( 1.3.6.1.4.1.99999.2.1 NAME 'adThing' AUXILIARY MAY ( objectGUID $ objectSid $ tokenGroups $ sAMAccountName $ userPrincipalName $ userAccountControl $ accountExpires $ msDS-User-Account-Control-Computed $ pwdLastSet ) )`,
];

const SCHEMAS = ['core', 'cosine', 'inetorgperson'];

/** `indexed`: attributes that are looked for in a large directory. */
export async function startSlapd({ indexed = [] }: { readonly indexed?: readonly string[] } = {}): Promise<Slapd> {
  const folder = temporaryFolder('slapd');
  const [plain, secure] = [await freePort(), await freePort()];
  const authority = makeAuthority();
  const server = authority.issue({ commonName: 'localhost', dnsNames: ['localhost'], usages: [SERVER_AUTH] });
  const file = (name: string, contents: string) => {
    writeFileSync(join(folder, name), contents, { mode: 0o600 });
    return join(folder, name);
  };
  mkdirSync(join(folder, 'data'));
  const files = {
    authorities: file('ca.pem', authority.pem),
    certificate: file('server.crt', server.pem),
    key: file('server.key', server.key),
    password: file('password', 'the password of the service\n'),
  };
  const conf = file(
    'slapd.conf',
    [
      ...SCHEMAS.map((name) => `include /etc/ldap/schema/${name}.schema`),
      ...ACTIVE_DIRECTORY,
      'modulepath /usr/lib/ldap',
      ...['back_mdb', 'memberof', 'ppolicy'].map((name) => `moduleload ${name}`),
      `TLSCACertificateFile ${files.authorities}`,
      `TLSCertificateFile ${files.certificate}`,
      `TLSCertificateKeyFile ${files.key}`,
      // As badly as a server can be set up: an empty password is accepted.
      'allow bind_anon_dn',
      'database monitor',
      `rootdn ${MONITOR}`,
      `rootpw "${ROOT_PASSWORD}"`,
      'database mdb',
      'maxsize 4294967296',
      ...(indexed.length > 0 ? [`index ${indexed.join(',')} eq`] : []),
      'suffix dc=example,dc=com',
      `directory ${join(folder, 'data')}`,
      `rootdn ${ROOT}`,
      `rootpw "${ROOT_PASSWORD}"`,
      'access to attrs=userPassword by anonymous auth by * none',
      `access to * by dn.exact=${SERVICE} read by * none`,
      'overlay memberof',
      'overlay ppolicy',
      'ppolicy_default cn=policy,dc=example,dc=com',
      '',
    ].join('\n'),
  );
  const [plainUrl, secureUrl] = [`ldap://localhost:${plain}`, `ldaps://localhost:${secure}`];
  let child: ChildProcess | undefined;
  const start = async () => {
    const addresses = `${plainUrl.replace('localhost', '127.0.0.1')} ${secureUrl.replace('localhost', '127.0.0.1')}`;
    child = spawn('/usr/sbin/slapd', ['-f', conf, '-h', addresses, '-d', '0'], { stdio: 'ignore' });
    await eventually('slapd answers', () => isAnswering(plainUrl));
  };
  const stop = async () => {
    const ended = new Promise((resolve) => child?.once('exit', resolve));
    child?.kill('SIGCONT');
    child?.kill('SIGKILL');
    await ended;
  };
  const checked = spawnSync('/usr/sbin/slaptest', ['-u', '-f', conf], { encoding: 'utf8' });
  if (checked.status !== 0) throw new Error(checked.stderr);
  await start();
  const edit = editor(plainUrl);
  await edit((client) =>
    client.add('dc=example,dc=com', { objectClass: ['dcObject', 'organization'], dc: 'example', o: 'Example' }),
  );
  const add: Slapd['add'] = (dn, attributes) =>
    edit((client) =>
      client.add(
        dn,
        Object.entries(attributes).map(([type, values]) => attributeOf(type, values)),
      ),
    );
  for (const ou of [PEOPLE, GROUPS]) await add(ou, { objectClass: 'organizationalUnit' });
  await add('cn=policy,dc=example,dc=com', {
    objectClass: ['organizationalRole', 'pwdPolicy'],
    pwdAttribute: 'userPassword',
  });
  await add(SERVICE, {
    objectClass: ['organizationalRole', 'simpleSecurityObject'],
    userPassword: 'the password of the service',
  });
  const modify = (dn: string, operation: 'replace' | 'delete', type: string, values: readonly string[]) =>
    edit((client) => client.modify(dn, new Change({ operation, modification: attributeOf(type, values) })));
  return {
    authority,
    folder,
    secureUrl,
    plainUrl,
    add,
    set: (dn, attribute, ...values) => modify(dn, 'replace', attribute, values),
    unset: (dn, attribute) => modify(dn, 'delete', attribute, []),
    rename: (dn, next) => edit((client) => client.modifyDN(dn, next)),
    remove: (dn) => edit((client) => client.del(dn)),
    load: async (ldif) => {
      await stop();
      const { status, stderr } = spawnSync('/usr/sbin/slapadd', ['-q', '-f', conf, '-l', file('more.ldif', ldif)]);
      if (status !== 0) throw new Error(String(stderr));
      await start();
    },
    searches: () => countSearches(plainUrl),
    pid: () => child?.pid ?? 0,
    pause: async () => {
      child?.kill('SIGSTOP');
      await eventually('slapd stops', () => / T /.test(readFileSync(`/proc/${child?.pid}/stat`, 'latin1')));
    },
    resume: () => void child?.kill('SIGCONT'),
    start,
    stop,
    settings: {
      label: 'corp',
      kind: 'ldap',
      servers: [secureUrl],
      authorities: files.authorities,
      bindDn: SERVICE,
      passwordFile: files.password,
      base: PEOPLE,
      filter: '(objectClass=inetOrgPerson)',
      attributes: { upn: 'employeeType' },
      groups: {
        from: 'search',
        base: GROUPS,
        filter: '(objectClass=groupOfNames)',
        nameAttribute: 'cn',
        memberAttribute: 'member',
      },
      recheckAfter: seconds(300),
      trustFor: seconds(86_400),
      timeoutMs: 5_000,
    },
  };
}

export function dnOf(cn: string): string {
  return `cn=${cn},${PEOPLE}`;
}

/** A person, whose password is `PASSWORD_OF(uid)`. */
export async function addPerson({ add }: Slapd, cn: string, attributes: Attributes = {}): Promise<void> {
  const person = { objectClass: 'inetOrgPerson', sn: cn, uid: cn, userPassword: `the password of ${cn}` };
  await add(dnOf(cn), { ...person, ...attributes });
}

export async function addGroup({ add }: Slapd, cn: string, ...members: string[]): Promise<void> {
  await add(`cn=${cn},${GROUPS}`, { objectClass: 'groupOfNames', member: members });
}

function attributeOf(type: string, values: string | readonly string[] | Buffer): Attribute {
  return new Attribute({ type, values: Buffer.isBuffer(values) ? [values] : ([values].flat() as string[]) });
}

/** By LDAP without TLS, on loopback. */
function editor(url: string) {
  return async (work: (client: Client) => Promise<unknown>): Promise<void> => {
    const client = new Client({ url });
    try {
      await client.bind(ROOT, ROOT_PASSWORD);
      await work(client);
    } finally {
      await client.unbind();
    }
  };
}

async function countSearches(url: string): Promise<number> {
  const client = new Client({ url });
  try {
    await client.bind(MONITOR, ROOT_PASSWORD);
    const counter = 'cn=Search,cn=Operations,cn=Monitor';
    const { searchEntries } = await client.search(counter, { scope: 'base', attributes: ['monitorOpCompleted'] });
    return Number(searchEntries[0]?.['monitorOpCompleted']);
  } finally {
    await client.unbind();
  }
}

async function isAnswering(url: string): Promise<boolean> {
  const client = new Client({ url, connectTimeout: 1_000, timeout: 1_000 });
  return client.bind(ROOT, ROOT_PASSWORD).then(
    () => client.unbind().then(() => true),
    () => false,
  );
}
