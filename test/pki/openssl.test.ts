// Certificates made with a few openssl commands, and real OCSP responses from openssl.
// Needs: openssl
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import type { ApprovedIssuer } from '../../src/core/issuer.ts';
import { epochSeconds } from '../../src/core/time.ts';
import { readPem } from '../../src/pki/der/pem.ts';
import { CertificateJudge } from '../../src/pki/judge/certificate-judge.ts';
import { freePort } from '../free-port.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { approve, verdict, worded } from './approved.ts';

const folder = temporaryFolder('openssl');
after(() => rmSync(folder, { recursive: true }));

function openssl(command: string): void {
  execFileSync('openssl', command.split(' '), { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
}

const file = (name: string) => readFileSync(join(folder, name));
const der = (name: string) =>
  readPem(file(name).toString(), 'CERTIFICATE')[0] ?? assert.fail(`${name} holds no certificate`);

function makeCa(): void {
  openssl(
    'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ca.key -out ca.pem -subj /CN=CA -days 3650',
  );
}

function makeCaller(name: string, extensions?: string): void {
  openssl(
    `req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ${name}.key -out ${name}.csr -subj /CN=${name}`,
  );
  if (extensions) writeFileSync(join(folder, `${name}.ext`), extensions);
  const extfile = extensions ? ` -extfile ${name}.ext` : '';
  openssl(`x509 -req -in ${name}.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out ${name}.pem -days 3000${extfile}`);
}

// openssl writes certificates that are valid from now on, so these tests use the real clock.
const present = () => epochSeconds(Date.now() / 1000);

suite('certificates made with plain openssl commands', () => {
  before(makeCa);

  test('are accepted under the default profile: version 1 where openssl is older than 3.2, no usages', () => {
    makeCaller('john');
    assert.equal(
      verdict({ chain: [der('john.pem')], issuers: [approve({ certificate: der('ca.pem') })], now: present() }),
      'accepted john',
    );
  });

  test('are accepted with only an e-mail name', () => {
    makeCaller('mail', 'subjectAltName=email:john@example.com\n');
    const issuers = [approve({ certificate: der('ca.pem') }, { identitySources: ['email-san'] })];
    assert.equal(verdict({ chain: [der('mail.pem')], issuers, now: present() }), 'accepted john@example.com');
  });

  test('are accepted with a user principal name', () => {
    makeCaller('upn', 'subjectAltName=otherName:msUPN;UTF8:john@example.com\nextendedKeyUsage=clientAuth\n');
    const issuers = [approve({ certificate: der('ca.pem') }, { identitySources: ['upn-san'] })];
    assert.equal(verdict({ chain: [der('upn.pem')], issuers, now: present() }), 'accepted john@example.com');
  });

  test('are refused under profile strict, with rule and setting', () => {
    makeCaller('plain');
    const issuers = [approve({ certificate: der('ca.pem') }, { profile: 'strict' })];
    assert.match(verdict({ chain: [der('plain.pem')], issuers, now: present() }), /^certificate-refused-by-policy/);
  });
});

suite('lists as plain `openssl ca` writes them', () => {
  const config = (extra = '') =>
    writeFileSync(
      join(folder, 'ca.cnf'),
      `[ca]\ndefault_ca=d\n[d]\ndatabase=${folder}/index.txt\ndefault_md=sha256\n${extra}` +
        'default_crl_days=30\n[number]\ncrlNumber=critical,1\n',
    );
  const issuers = () => {
    const revocation = { crl: 'if-available', ocsp: 'off', crlFiles: [], endGrants: true } as const;
    return [approve({ certificate: der('ca.pem') }, { revocation })];
  };
  const judged = (name: string, crl: string) => {
    const crls = readPem(file(crl).toString(), 'X509 CRL');
    return verdict({ chain: [der(`${name}.pem`)], issuers: issuers(), crls, now: present() });
  };

  test('version 1 without a number: only revoked certificates are refused under if-available', () => {
    makeCa();
    writeFileSync(join(folder, 'index.txt'), '');
    config();
    makeCaller('revoked');
    makeCaller('other');
    openssl('ca -config ca.cnf -cert ca.pem -keyfile ca.key -revoke revoked.pem');
    openssl('ca -config ca.cnf -cert ca.pem -keyfile ca.key -gencrl -out plain.crl');
    assert.equal(judged('revoked', 'plain.crl'), 'certificate-revoked: crl-revoked');
    assert.equal(judged('other', 'plain.crl'), 'accepted other');
  });
});

suite('revocation as openssl publishes it', () => {
  let responder: ReturnType<typeof spawn>;
  let lists: ReturnType<typeof createServer>;
  let ocspPort = 0;
  let listPort = 0;
  let listRequests = 0;

  before(async () => {
    makeCa();
    ocspPort = await freePort();
    lists = createServer((_request, response) => {
      listRequests++;
      response.end(file('ca.crl'));
    }).listen(0, '127.0.0.1');
    await once(lists, 'listening');
    listPort = (lists.address() as AddressInfo).port;
    const extensions = `authorityInfoAccess=OCSP;URI:http://127.0.0.1:${ocspPort}\ncrlDistributionPoints=URI:http://127.0.0.1:${listPort}/ca.crl\n`;
    for (const name of ['good', 'bad', 'other']) makeCaller(name, extensions);
    writeFileSync(join(folder, 'index.txt'), '');
    writeFileSync(join(folder, 'crlnumber'), '01\n');
    writeFileSync(
      join(folder, 'ca.cnf'),
      '[ca]\ndefault_ca=d\n[d]\ndatabase=index.txt\ncrlnumber=crlnumber\ndefault_md=sha256\ndefault_crl_days=30\n',
    );
    for (const name of ['good', 'bad']) openssl(`ca -config ca.cnf -valid ${name}.pem -keyfile ca.key -cert ca.pem`);
    openssl('ca -config ca.cnf -revoke bad.pem -keyfile ca.key -cert ca.pem');
    openssl('ca -config ca.cnf -gencrl -keyfile ca.key -cert ca.pem -out ca.crl');
    openssl('crl -in ca.crl -outform DER -out ca.crl');
    const address = `-port ${ocspPort} -index index.txt -CA ca.pem -rsigner ca.pem -rkey ca.key -ndays 1`;
    responder = spawn('openssl', ['ocsp', ...address.split(' ')], { cwd: folder, stdio: 'ignore' });
  });
  after(() => {
    responder.kill();
    lists.close();
  });

  const policy = (crl: ApprovedIssuer['revocation']['crl'], ocsp: ApprovedIssuer['revocation']['ocsp']) => ({
    crl,
    ocsp,
    crlFiles: [],
    endGrants: true,
  });
  const ask = async (judge: CertificateJudge, name: string, revocation: ApprovedIssuer['revocation']) =>
    worded(await judge.judge([der(`${name}.pem`)], [approve({ certificate: der('ca.pem') }, { revocation })]));
  const makeJudge = () => new CertificateJudge({ fetch: patientFetch, now: present });

  test('a CRL from the distribution point decides, and is fetched once', async () => {
    const judge = makeJudge();
    assert.equal(await ask(judge, 'good', policy('required', 'off')), 'accepted good');
    assert.equal(await ask(judge, 'bad', policy('required', 'off')), 'certificate-revoked: crl-revoked');
    assert.equal(listRequests, 1);
  });

  test('a CRL file is enforced on the first request', async () => {
    const judge = makeJudge();
    judge.revocation.useFiles([file('ca.crl')]);
    assert.equal(await ask(judge, 'bad', policy('required', 'off')), 'certificate-revoked: crl-revoked');
  });

  test('an OCSP responder decides, with our nonce in its answer', async () => {
    const judge = makeJudge();
    assert.equal(await ask(judge, 'good', policy('off', 'required')), 'accepted good');
    assert.equal(await ask(judge, 'bad', policy('off', 'required')), 'certificate-revoked: ocsp-revoked');
  });

  test('a certificate unknown to the responder is refused under required and accepted under if-available', async () => {
    assert.equal(
      await ask(makeJudge(), 'other', policy('off', 'required')),
      'certificate-revocation-unknown: ocsp-unknown',
    );
    assert.equal(await ask(makeJudge(), 'other', policy('off', 'if-available')), 'accepted other');
  });

  test('an unreachable responder refuses under required', async () => {
    const judge = new CertificateJudge({ fetch: async () => assert.fail(), now: present });
    assert.equal(await ask(judge, 'good', policy('required', 'off')), 'certificate-revocation-unknown: crl-unknown');
    assert.equal(await ask(judge, 'good', policy('off', 'required')), 'certificate-revocation-unknown: ocsp-unknown');
  });
});

/** The responder needs a moment to open its port. */
async function patientFetch(url: string, init: RequestInit): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await fetch(url, init);
    } catch (problem) {
      if (attempt === 30) throw problem;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
