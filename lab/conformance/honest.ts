// Chains that are honest but unusual, made by openssl: all that it accepts must be accepted by us.
// Needs: openssl
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { explainFiles, printExplanation } from '../../src/pki/judge/explain.ts';
import { systemClock } from '../../src/system.ts';
import { temporaryFolder } from '../../test/temporary-folder.ts';

type Kind = keyof typeof KINDS;

/** A root, authorities below it and a leaf, made by openssl. */
export interface OpensslChain {
  readonly name: string;
  /** Of root, authorities and leaf, from the top; those of an ordinary chain otherwise. */
  readonly keys?: readonly Kind[];
  readonly subject?: string;
  readonly rootSubject?: string;
  /** Lines of an extension section, in place of the ordinary ones. */
  readonly root?: readonly string[];
  readonly middle?: readonly string[];
  readonly leaf?: readonly string[];
  /** More arguments for the signature of the leaf. */
  readonly signing?: readonly string[];
}

const KINDS = {
  p256: ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256'],
  p384: ['ec', '-pkeyopt', 'ec_paramgen_curve:P-384'],
  p521: ['ec', '-pkeyopt', 'ec_paramgen_curve:P-521'],
  rsa: ['rsa:2048'],
  rsa4096: ['rsa:4096'],
  pss: ['rsa-pss', '-pkeyopt', 'rsa_keygen_bits:2048'],
  ed25519: ['ed25519'],
  ed448: ['ed448'],
} as const;

const ORDINARY: readonly Kind[] = ['p256', 'p256', 'p256'];
const AUTHORITY = [
  'basicConstraints=critical,CA:true',
  'keyUsage=critical,keyCertSign,cRLSign',
  'subjectKeyIdentifier=hash',
];
const BELOW = [...AUTHORITY, 'authorityKeyIdentifier=keyid'];
const LEAF = [
  'keyUsage=critical,digitalSignature',
  'extendedKeyUsage=clientAuth',
  'subjectKeyIdentifier=hash',
  'authorityKeyIdentifier=keyid',
];
const leafWith = (...lines: string[]) => [...LEAF, ...lines];
const middleWith = (...lines: string[]) => [...BELOW, ...lines];

export const OPENSSL_CHAINS: readonly OpensslChain[] = [
  { name: 'plain' },
  { name: 'no-extensions-but-ca', middle: ['basicConstraints=critical,CA:true'], leaf: ['basicConstraints=CA:false'] },
  { name: 'version-1-leaf', leaf: [] },
  { name: 'ca-flag-not-critical', middle: ['basicConstraints=CA:true', 'keyUsage=keyCertSign'] },
  { name: 'no-key-identifiers', root: AUTHORITY.slice(0, 2), middle: AUTHORITY.slice(0, 2), leaf: LEAF.slice(0, 2) },
  { name: 'issuer-and-serial', leaf: [...LEAF.slice(0, 3), 'authorityKeyIdentifier=keyid:always,issuer:always'] },
  { name: 'other-key-identifier', middle: [...AUTHORITY.slice(0, 2), 'subjectKeyIdentifier=01:02:03'] },
  { name: 'rsa', keys: ['rsa', 'rsa', 'rsa'] },
  { name: 'rsa-4096', keys: ['rsa4096', 'rsa', 'p256'] },
  { name: 'rsa-pss-keys', keys: ['pss', 'pss', 'rsa'] },
  {
    name: 'pss-signature',
    keys: ['p256', 'rsa', 'p256'],
    signing: ['-sigopt', 'rsa_padding_mode:pss', '-sigopt', 'rsa_pss_saltlen:32'],
  },
  { name: 'ed448', keys: ['ed448', 'ed448', 'ed448'] },
  { name: 'ed25519-leaf', keys: ['p384', 'p256', 'ed25519'] },
  { name: 'sha512', signing: ['-sha512'] },
  { name: 'sha224', keys: ['rsa', 'rsa', 'rsa'], signing: ['-sha224'] },
  { name: 'three-p521-authorities', keys: ['p521', 'p521', 'p521', 'p521', 'p256'] },
  { name: 'eight-authorities', keys: Array<Kind>(10).fill('p256') },
  { name: 'key-agreement', leaf: ['keyUsage=keyAgreement', 'extendedKeyUsage=clientAuth'] },
  { name: 'critical-extended-usage', leaf: ['extendedKeyUsage=critical,clientAuth,emailProtection,1.2.3.4'] },
  { name: 'netscape', leaf: leafWith('nsCertType=client,email', 'nsComment="made by openssl"') },
  { name: 'two-units', subject: '/C=DE/O=Firma GmbH & Co. KG/OU=Eins/OU=Zwei/CN=caller' },
  {
    name: 'domain-components',
    subject: '/DC=com/DC=example/UID=42/CN=caller',
    rootSubject: '/DC=com/DC=example/CN=Root',
  },
  { name: 'several-attributes-in-one', subject: '/O=Example/CN=caller+serialNumber=7' },
  { name: 'email-in-subject', subject: '/CN=caller/emailAddress=ada@example.com' },
  {
    name: 'constrained',
    middle: middleWith(
      'nameConstraints=critical,permitted;DNS:example.com,permitted;email:.example.com,excluded;IP:10.0.0.0/255.0.0.0',
    ),
    leaf: leafWith('subjectAltName=DNS:a.example.com,email:ada@mail.example.com,IP:192.0.2.1'),
  },
  {
    name: 'constrained-directory',
    subject: '/O=Example/CN=caller',
    middle: middleWith('nameConstraints=permitted;dirName:dir', '[dir]', 'O=Example'),
  },
  {
    name: 'permitted-ipv4-no-ipv6',
    middle: middleWith(
      'nameConstraints=critical,permitted;IP:10.0.0.0/255.0.0.0,excluded;IP:0:0:0:0:0:0:0:0/0:0:0:0:0:0:0:0',
    ),
    leaf: leafWith('subjectAltName=IP:10.1.2.3'),
  },
  {
    name: 'principal-name',
    leaf: leafWith(
      'subjectAltName=otherName:1.3.6.1.4.1.311.20.2.3;UTF8:ada@corp.example,email:ada@example.com,URI:https://example.com/ada,RID:1.2.3',
    ),
  },
  {
    name: 'policies',
    middle: middleWith('certificatePolicies=1.2.3.4', 'policyConstraints=critical,requireExplicitPolicy:0'),
    leaf: leafWith('certificatePolicies=1.2.3.4,2.5.29.32.0'),
  },
  {
    name: 'inhibited-any-policy',
    middle: middleWith('certificatePolicies=1.2.3.4', 'inhibitAnyPolicy=critical,0'),
    leaf: leafWith('certificatePolicies=1.2.3.4'),
  },
  {
    name: 'points-of-every-kind',
    leaf: leafWith(
      'crlDistributionPoints=point,URI:http://crl.example.com/2.crl',
      'authorityInfoAccess=OCSP;URI:http://ocsp.example.com,caIssuers;URI:ldap://x',
      '[point]',
      'fullname=URI:http://crl.example.com/1.crl',
      'reasons=keyCompromise,CACompromise',
    ),
  },
  { name: 'long-serial', signing: ['-set_serial', `0x7f${'ab'.repeat(19)}`] },
];

/** Makes a chain in the folder: NAME.root.pem and NAME.chain.pem, leaf first. */
export function makeByOpenssl(chain: OpensslChain, folder: string): void {
  const { name, keys = ORDINARY, rootSubject = '/CN=Root', subject = '/CN=caller', signing = [] } = chain;
  const sections = { root: chain.root ?? AUTHORITY, middle: chain.middle ?? BELOW, leaf: chain.leaf ?? LEAF };
  const run = (...args: string[]) =>
    execFileSync('openssl', args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  const request = (at: number, subjectOf: string) =>
    run(
      ...['req', '-new', '-utf8', '-newkey', ...KINDS[keys[at] ?? 'p256'], '-nodes', '-keyout', `${name}.${at}.key`],
      ...['-subj', subjectOf, '-out', `${name}.${at}.csr`],
    );
  const certify = (at: number, section: readonly string[], ...more: readonly string[]) => {
    writeFileSync(join(folder, `${name}.ext`), `${section.join('\n')}\n`);
    const extensions = section.length > 0 ? ['-extfile', `${name}.ext`] : [];
    const files = ['-in', `${name}.${at}.csr`, '-out', `${name}.${at}.pem`];
    run('x509', '-req', ...files, '-days', '300', ...extensions, ...more);
  };
  request(0, rootSubject);
  certify(0, sections.root, '-signkey', `${name}.0.key`);
  for (const at of [...keys.keys()].slice(1)) {
    const isLeaf = at === keys.length - 1;
    request(at, isLeaf ? subject : `/CN=Intermediate ${at}`);
    const by = ['-CA', `${name}.${at - 1}.pem`, '-CAkey', `${name}.${at - 1}.key`];
    const serial = isLeaf && signing.includes('-set_serial') ? [] : ['-set_serial', `${at + 100}`];
    certify(at, isLeaf ? sections.leaf : sections.middle, ...by, ...serial, ...(isLeaf ? signing : []));
  }
  const made = keys.map((_, at) => readFileSync(join(folder, `${name}.${at}.pem`), 'utf8'));
  writeFileSync(join(folder, `${name}.root.pem`), made[0] ?? '');
  writeFileSync(join(folder, `${name}.chain.pem`), made.slice(1).reverse().join(''));
}

export interface Verdicts {
  readonly name: string;
  /** `ok`, or why not. */
  readonly ours: string;
  readonly openssl: string;
}

/** Our verdict on a chain of the folder, and that of openssl. */
export function judgeChain(name: string, folder: string): Verdicts {
  const [root, chain] = ['root', 'chain'].map((what) => readFileSync(join(folder, `${name}.${what}.pem`)));
  if (!root || !chain) throw new Error(`${name} is incomplete`);
  const explanation = explainFiles({ certificate: chain, issuers: [root], now: systemClock.now() });
  const failed = printExplanation(explanation).filter((line) => /^(?:FAIL|refused)/.test(line));
  return { name, ours: explanation.accepted ? 'ok' : failed.join(' '), openssl: byOpenssl(name, folder) };
}

function byOpenssl(name: string, folder: string): string {
  const files = ['-CAfile', `${name}.root.pem`, '-untrusted', `${name}.chain.pem`, `${name}.chain.pem`];
  try {
    execFileSync('openssl', ['verify', '-purpose', 'sslclient', ...files], { cwd: folder, stdio: 'pipe' });
    return 'ok';
  } catch (fault) {
    return String((fault as { stderr?: Buffer }).stderr ?? fault).replaceAll('\n', ' ');
  }
}

/** Exit code: 0 if we accept what openssl accepts. */
export async function runHonest(): Promise<number> {
  const folder = temporaryFolder('honest');
  try {
    for (const chain of OPENSSL_CHAINS) makeByOpenssl(chain, folder);
    return report(OPENSSL_CHAINS.map(({ name }) => judgeChain(name, folder)));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function report(verdicts: readonly Verdicts[]): number {
  const honest = verdicts.filter(({ openssl }) => openssl === 'ok');
  const refused = honest.filter(({ ours }) => ours !== 'ok');
  for (const { name, ours } of refused) console.log(`REFUSED  ${name}: ${ours}`);
  for (const { name, ours, openssl } of verdicts)
    if (openssl !== 'ok') console.log(`disputed ${name}: ours ${ours}; openssl ${openssl}`);
  console.log(
    `${verdicts.length} chains, ${honest.length} accepted by openssl, ${refused.length} of them refused by us`,
  );
  return refused.length === 0 ? 0 : 1;
}
