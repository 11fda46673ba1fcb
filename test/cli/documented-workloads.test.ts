// The commands of docs/workloads.md, run as they stand there, with the claims that the platforms document.
// Needs no network: keys are replaced by keys of the test before an assertion is explained.
// Only in test:all: documents as printed
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { GITHUB, GITLAB, KUBERNETES, SPIFFE } from '../assertions/recorded-claims.ts';
import { makeAuthority } from '../authority.ts';
import { keySetOf, type PlatformKey, platformKey } from '../platform.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { Commands } from './commands.ts';

const PAGE = readFileSync('docs/workloads.md', 'utf8');
const AT = ['--at', '2027-01-15T08:01:00Z']; // a minute after the recorded claims were made

const commands = new Commands();
let folder = '';
let key: PlatformKey;

before(async () => {
  key = await platformKey('k1', 'RS256');
});
after(async () => {
  await commands.close();
  if (folder) rmSync(folder, { recursive: true });
});

const run = (...args: readonly string[]) => commands.run(args, { folder });

/** The commands in the section under a heading. */
function commandsUnder(heading: string): string[][] {
  const [, section = ''] = PAGE.split(`\n## ${heading}\n`);
  const lines = (section.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('$ tessera '));
  return lines.map((line) => (line.slice(10).match(/'[^']*'|[^ ]+/g) ?? []).map((word) => word.replaceAll("'", '')));
}

/** An installation with the integration of all recipes, after the commands of a section. */
async function install(heading: string): Promise<void> {
  if (folder) rmSync(folder, { recursive: true });
  folder = temporaryFolder('workloads');
  writeFileSync(join(folder, 'cluster-ca.pem'), makeAuthority({ name: 'Cluster' }).pem);
  writeFileSync(join(folder, 'bundle.json'), keySetOf({ jwk: { ...key.jwk, use: 'jwt-svid' } }));
  writeFileSync(join(folder, 'jwks.json'), keySetOf(key));
  const [integration = []] = commandsUnder('The JWT of a platform');
  const documented = [['init', '--public-url', 'https://tokens.example.com'], integration, ...commandsUnder(heading)];
  for (const command of documented) {
    const { status, printed } = await run(...command);
    assert.equal(status, 0, `${command.join(' ')}\n${printed}`);
  }
  const label = documented.find(([group]) => group === 'token-issuer')?.[2] ?? '';
  assert.equal((await run('token-issuer', 'change', label, '--jwks-file', 'jwks.json')).status, 0);
}

async function explained(claims: Record<string, unknown>, header: Record<string, unknown> = {}): Promise<string> {
  const usual = { jti: undefined, nbf: undefined, repository: undefined, ref: undefined };
  writeFileSync(join(folder, 'assertion.jwt'), await key.sign({ ...usual, ...claims }, header));
  const { status, printed: text } = await run('token-issuer', 'explain', 'assertion.jwt', ...AT);
  const [, conclusion = text] = /^((?:accepted|refused): .*)$/m.exec(text) ?? [];
  assert.equal(status, conclusion.startsWith('accepted') ? 0 : 1, text);
  return conclusion.replace(/[0-9a-f]{32}/, 'HASH');
}

test('keys, secrets, assertions of an enterprise and exchange: the commands do what the page says', async () => {
  folder = temporaryFolder('workloads');
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  writeFileSync(join(folder, 'orders-sync.pub.pem'), publicKey.export({ type: 'spki', format: 'pem' }));
  const sections = ['A key of its own', 'A generated secret', 'Assertions of an enterprise', 'Token exchange'];
  const documented = sections.map(commandsUnder);
  assert.ok(documented.every((section) => section.length > 0));
  for (const command of [['init', '--public-url', 'https://tokens.example.com'], ...documented.flat()]) {
    const { status, printed } = await run(...command);
    assert.equal(status, 0, `${command.join(' ')}\n${printed}`);
  }
});

suite('the recipes of docs/workloads.md', () => {
  test('GitHub Actions: the main branch of the repository, no fork, no other repository, no pull request', async () => {
    await install('GitHub Actions');
    assert.equal(await explained(GITHUB, { x5t: 'thumbprint' }), 'accepted: github:HASH by token issuer github');
    const unmatched = 'refused: assertion-rule-unmatched';
    assert.equal(await explained({ ...GITHUB, repository: 'mallory/octo-repo', repository_owner_id: '66' }), unmatched);
    assert.equal(await explained({ ...GITHUB, repository: 'octo-org/other' }), unmatched);
    assert.equal(await explained({ ...GITHUB, repository_owner_id: '66' }), unmatched);
    assert.equal(await explained({ ...GITHUB, ref: 'refs/pull/7/merge', event_name: 'pull_request' }), unmatched);
    const owner = { ...GITHUB, aud: 'https://github.com/octo-org' };
    assert.equal(await explained(owner), 'refused: assertion-audience-wrong');
  });

  test('GitLab CI: protected branches of the project', async () => {
    await install('GitLab CI');
    assert.equal(await explained(GITLAB), 'accepted: gitlab:HASH by token issuer gitlab');
    const unmatched = 'refused: assertion-rule-unmatched';
    assert.equal(await explained({ ...GITLAB, ref_protected: 'false' }), unmatched);
    assert.equal(await explained({ ...GITLAB, project_path: 'my-group/my-project/deeper' }), unmatched);
    const long = { ...GITLAB, exp: GITLAB.iat + 4 * 3600 };
    assert.equal(await explained(long), 'refused: assertion-lifetime-too-long');
  });

  test('Kubernetes: a service account, with a token for this audience', async () => {
    await install('Kubernetes');
    // Tokens of the API server have no typ.
    const untyped = { typ: undefined };
    assert.equal(await explained(KUBERNETES, untyped), 'accepted: cluster:HASH by token issuer cluster');
    const elsewhere = { ...KUBERNETES, 'kubernetes.io': { ...KUBERNETES['kubernetes.io'], namespace: 'other' } };
    assert.equal(await explained(elsewhere, untyped), 'refused: assertion-rule-unmatched');
    const usual = { ...KUBERNETES, aud: [KUBERNETES.iss], exp: KUBERNETES.iat + 365 * 86_400 };
    assert.equal(await explained(usual, untyped), 'refused: assertion-lifetime-too-long');
  });

  test('SPIFFE: the service accounts of one namespace', async () => {
    await install('SPIFFE');
    assert.equal(await explained(SPIFFE), 'accepted: spire:HASH by token issuer spire');
    const unmatched = 'refused: assertion-rule-unmatched';
    assert.equal(await explained({ ...SPIFFE, sub: 'spiffe://example.org/ns/shop/sa/orders/more' }), unmatched);
    assert.equal(await explained({ ...SPIFFE, sub: 'spiffe://evil.org/ns/shop/sa/orders' }), unmatched);
    assert.equal(await explained({ ...SPIFFE, iss: undefined }), 'refused: assertion-issuer-unknown');
  });
});
