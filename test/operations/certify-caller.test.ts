// A presented certificate on its way to a grant: when it is judged, what is logged, and what is charged.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Presented } from '../../src/core/certificate.ts';
import { accept, refuse } from '../../src/core/outcome.ts';
import type { Verdict } from '../../src/core/verdict.ts';
import { authorizeCertificate } from '../../src/operations/grant/authorize-certificate.ts';
import { refreshTokens } from '../../src/operations/grant/refresh-tokens.ts';
import { StoreUnavailable } from '../../src/store/store.ts';
import { issuers } from '../../src/store/tables/issuers.ts';
import { accepted, answer, CURL, changeIntegration, ISSUER, issue, MARK, type Node, put, THUMBPRINT } from '../node.ts';
import { CLIENT, NOW } from '../samples.ts';
import { onSqlite } from './on-sqlite.ts';

const PRESENTED: Presented = { by: 'handshake', chain: [new Uint8Array(1)], hasIgnoredHeader: false };
const STEP = { rule: 'validity', passed: false, about: 'leaf', words: '', reason: 'certificate-expired' } as const;
const EXPIRED: Verdict = { outcome: refuse('certificate-expired'), steps: [STEP] };
const NAME = { source: 'common-name', name: 'nobody' } as const;
const OF_NOBODY: Verdict = {
  outcome: accept({ issuer: ISSUER, name: NAME, mark: MARK, thumbprint: THUMBPRINT, until: NOW }),
  steps: [],
};

interface Watched {
  readonly node: Node;
  readonly judged: Presented[];
  readonly logged: [requestId: string, verdict: Verdict][];
}

/** A node whose judge gives this verdict on everything. */
async function judging(t: TestContext, verdict: Verdict): Promise<Watched> {
  const judged: Presented[] = [];
  const logged: Watched['logged'] = [];
  const judge = async (presented: Presented) => {
    judged.push(presented);
    return verdict;
  };
  const { node } = await onSqlite(t, { judge, logRefused: (...refused) => void logged.push(refused) });
  return { node, judged, logged };
}

function requestOf(clientId: string | undefined, presented = PRESENTED) {
  return { clientId, scope: 'orders:read', presenter: CURL, presented, requestId: 'r1' };
}

function authorize(node: Node, clientId: string | undefined, presented = PRESENTED) {
  return answer(authorizeCertificate(requestOf(clientId, presented), node));
}

async function refreshOnce(node: Node): Promise<string> {
  const refreshToken = (await issue(node)).refreshToken?.reveal() ?? '';
  const request = { clientId: CLIENT, refreshToken, presenter: CURL, presented: PRESENTED, requestId: 'r2' };
  return answer(refreshTokens(request, node));
}

test('a refresh of an unbound integration judges nothing; a bound one judges what was presented', async (t) => {
  const { node, judged, logged } = await judging(t, EXPIRED);
  assert.equal(await refreshOnce(node), 'accepted');
  assert.deepEqual([judged, logged], [[], []]);
  await changeIntegration(node, { binding: 'certificate' });
  assert.equal(await refreshOnce(node), 'certificate-binding-unmet');
  assert.deepEqual(judged, [PRESENTED]);
  assert.deepEqual(logged, [['r2', EXPIRED]]);
});

test('without a client_id the certificate is not judged; an unknown one is not revealed to a refused caller', async (t) => {
  const { node, judged } = await judging(t, EXPIRED);
  assert.equal(await authorize(node, undefined), 'client-id-missing');
  assert.equal(judged.length, 0);
  assert.equal(await authorize(node, 'unknown'), 'certificate-expired');
  assert.equal(judged.length, 1);
});

test('the log gets the verdict, and the failed mapping of an accepted certificate', async (t) => {
  const { node, logged } = await judging(t, OF_NOBODY);
  assert.equal(await authorize(node, CLIENT), 'certificate-identity-unknown');
  const mapping = {
    rule: 'identity-mapped',
    passed: false,
    about: 'common-name nobody',
    words: 'exactly one identity in the directory has this name: certificate-identity-unknown',
    setting: 'identities: directory',
    reason: 'certificate-identity-unknown',
  };
  assert.deepEqual(logged, [['r1', { ...OF_NOBODY, steps: [mapping] }]]);
});

test('a connection without a certificate is refused, and not logged as a refused certificate', async (t) => {
  const { node, logged } = await judging(t, { outcome: refuse('certificate-missing'), steps: [] });
  assert.equal(await authorize(node, CLIENT), 'certificate-missing');
  assert.deepEqual(logged, []);
});

test('an issuer that was approved a moment ago is found in the store', async (t) => {
  const notApproved: Verdict = { outcome: refuse('certificate-issuer-not-approved'), steps: [STEP] };
  const judge = async (_presented: Presented, approved: readonly unknown[]) =>
    approved.length > 0 ? OF_NOBODY : notApproved;
  const { node } = await onSqlite(t, { judge });
  assert.equal(await authorize(node, CLIENT), 'certificate-issuer-not-approved');
  await put(node.store, issuers, ISSUER);
  assert.equal(await authorize(node, CLIENT), 'certificate-identity-unknown');
});

test('a refresh counts once against its limit, also if it has to be decided again', async (t) => {
  const { node, clock } = await onSqlite(t);
  const first = await issue(node);
  const request = { clientId: CLIENT, presenter: CURL, presented: PRESENTED, requestId: 'r3' };
  const refreshToken = first.refreshToken?.reveal() ?? '';
  accepted(await refreshTokens({ ...request, refreshToken }, node));
  clock.move(61);
  let charged = 0;
  const overLimit = () => {
    charged++;
    return undefined;
  };
  assert.equal(await answer(refreshTokens({ ...request, refreshToken, overLimit }, node)), 'refresh-token-reused');
  assert.equal(charged, 1);
});

test('an ignored certificate header is counted when a certificate is needed; nothing presented reaches no judge', async (t) => {
  const { node, judged } = await judging(t, EXPIRED);
  let ignored = 0;
  const counting = { ...node, countIgnoredHeader: () => void ignored++ };
  assert.equal(await authorize(counting, CLIENT, { ...PRESENTED, hasIgnoredHeader: true }), 'certificate-expired');
  assert.deepEqual([ignored, judged.length], [1, 1]);
  assert.equal(await refreshOnce(counting), 'accepted');
  const nothing: readonly Presented[] = [
    { by: 'nothing' },
    { by: 'handshake', chain: [], hasIgnoredHeader: true },
    { by: 'header', header: 'xfcc', lines: [], chainLines: [] },
  ];
  for (const presented of nothing) assert.equal(await authorize(counting, CLIENT, presented), 'certificate-missing');
  assert.deepEqual([ignored, judged.length], [2, 1]);
});

test('with a wrong clock no certificate is judged, neither accepted nor refused', async (t) => {
  const { node, judged } = await judging(t, EXPIRED);
  const admitClock = () => {
    throw new StoreUnavailable('the clock is wrong');
  };
  await assert.rejects(authorize({ ...node, admitClock }, CLIENT), StoreUnavailable);
  assert.equal(await authorize({ ...node, admitClock }, CLIENT, { by: 'nothing' }), 'certificate-missing');
  assert.deepEqual(judged, []);
});

test('a refusal says whom the certificate names, and which issuer it is about', async (t) => {
  const claimed = { subject: 'CN=nobody', label: ISSUER.label };
  const { node } = await judging(t, { ...OF_NOBODY, claimed });
  const unknown = await authorizeCertificate(requestOf(CLIENT), node);
  assert.deepEqual(unknown.ok || unknown.refusal, { reason: 'certificate-identity-unknown', claimed });
  const issuer = { ...ISSUER, identities: 'derived', integrations: ['other' as typeof CLIENT] } as const;
  const outcome = accept({ issuer, name: NAME, mark: MARK, thumbprint: THUMBPRINT, until: NOW });
  const elsewhere = await judging(t, { outcome, steps: [] });
  const refused = await authorizeCertificate(requestOf(CLIENT), elsewhere.node);
  assert.equal(refused.ok || refused.refusal.reason, 'issuer-not-for-integration');
  assert.deepEqual(refused.ok || refused.refusal.claimed, { label: ISSUER.label });
});
