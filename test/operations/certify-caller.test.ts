// A presented certificate on its way to a grant: when it is judged, what is logged, and what is charged.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Presented } from '../../src/core/certificate.ts';
import { accept, refuse } from '../../src/core/outcome.ts';
import type { Verdict } from '../../src/core/verdict.ts';
import { presentedJudge } from '../../src/doors/caller/judge-presented.ts';
import { describe } from '../../src/doors/token/descriptions.ts';
import { authorizeCertificate } from '../../src/operations/grant/authorize-certificate.ts';
import { refreshTokens } from '../../src/operations/grant/refresh-tokens.ts';
import type { RefusedCertificate } from '../../src/operations/ports.ts';
import { StoreUnavailable } from '../../src/store/store.ts';
import { issuers } from '../../src/store/tables/issuers.ts';
import { accepted, answer, CURL, changeIntegration, ISSUER, issue, MARK, type Node, put, THUMBPRINT } from '../node.ts';
import { CLIENT, NOW } from '../samples.ts';
import { onSqlite } from './on-sqlite.ts';

const PRESENTED: Presented = { by: 'handshake', chain: [new Uint8Array(1)], hasIgnoredHeader: false };
const STEP = { rule: 'validity', passed: false, about: 'leaf', words: '', reason: 'certificate-expired' } as const;
const EXPIRED: Verdict = { outcome: refuse('certificate-expired'), steps: [STEP] };
const NOT_APPROVED: Verdict = {
  outcome: refuse('certificate-issuer-not-approved', { rule: 'issuer-approved' }),
  steps: [],
};
const NAME = { source: 'common-name', name: 'nobody' } as const;
const OF_NOBODY: Verdict = {
  outcome: accept({ issuer: ISSUER, name: NAME, mark: MARK, thumbprint: THUMBPRINT, until: NOW }),
  steps: [],
};

interface Watched {
  readonly node: Node;
  readonly judged: Presented[];
  readonly logged: RefusedCertificate[];
}

/** A node whose judge gives this verdict on everything. */
async function judging(t: TestContext, verdict: Verdict): Promise<Watched> {
  const judged: Presented[] = [];
  const logged: RefusedCertificate[] = [];
  const judge = async (presented: Presented) => {
    judged.push(presented);
    return verdict;
  };
  const { node } = await onSqlite(t, { judge, logRefused: (refused) => void logged.push(refused) });
  return { node, judged, logged };
}

function authorize(node: Node, clientId: string | undefined) {
  const request = { clientId, scope: 'orders:read', presenter: CURL, presented: PRESENTED, requestId: 'r1' };
  return answer(authorizeCertificate(request, node));
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
  assert.deepEqual(logged, [{ requestId: 'r2', verdict: EXPIRED }]);
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
  assert.deepEqual(logged, [{ requestId: 'r1', verdict: OF_NOBODY, mapping: refuse('certificate-identity-unknown') }]);
});

test('a connection without a certificate is refused, and not logged as a refused certificate', async (t) => {
  const { node, logged } = await judging(t, { outcome: refuse('certificate-missing'), steps: [] });
  assert.equal(await authorize(node, CLIENT), 'certificate-missing');
  assert.deepEqual(logged, []);
});

test('an issuer approved a moment ago is found in the store; otherwise the verdict stands', async (t) => {
  const notApproved: Verdict = { outcome: refuse('certificate-issuer-not-approved'), steps: [STEP] };
  const asked: number[] = [];
  const judge = async (_presented: Presented, approved: readonly unknown[]) => {
    asked.push(approved.length);
    return approved.length > 0 ? OF_NOBODY : notApproved;
  };
  const { node } = await onSqlite(t, { judge });
  assert.equal(await authorize(node, CLIENT), 'certificate-issuer-not-approved');
  await put(node.store, issuers, ISSUER);
  assert.equal(await authorize(node, CLIENT), 'certificate-identity-unknown');
  assert.deepEqual(asked, [0, 0, 1]);
});

test('a refresh is charged to its limit once, though the outage has to be loaded and the rule decides twice', async (t) => {
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

test('an ignored certificate header is counted when a certificate is judged; nothing presented reaches no judge', async () => {
  let ignored = 0;
  let judged = 0;
  const judge = presentedJudge({
    judge: {
      judge: async () => {
        judged++;
        return EXPIRED;
      },
    },
    admitClock: () => undefined,
    onIgnoredHeader: () => void ignored++,
    seesIntermediates: async () => true,
  });
  assert.equal((await judge({ ...PRESENTED, hasIgnoredHeader: true }, [])).outcome, EXPIRED.outcome);
  assert.deepEqual([ignored, judged], [1, 1]);
  const nothing: readonly Presented[] = [
    { by: 'nothing' },
    { by: 'handshake', chain: [], hasIgnoredHeader: false },
    { by: 'header', header: 'xfcc', lines: [], chainLines: [] },
  ];
  for (const presented of nothing)
    assert.equal(await answer((await judge(presented, [])).outcome), 'certificate-missing');
  const repeated: Presented = { by: 'header', header: 'rfc9440', lines: ['a', 'a'], chainLines: [] };
  assert.equal(await answer((await judge(repeated, [])).outcome), 'certificate-repeated');
  assert.deepEqual([ignored, judged], [1, 1]);
});

test('with a wrong clock no certificate is judged, neither accepted nor refused', async () => {
  const judge = presentedJudge({
    judge: { judge: () => assert.fail('judged by a wrong clock') },
    admitClock: () => {
      throw new StoreUnavailable('the clock is wrong');
    },
    onIgnoredHeader: () => undefined,
    seesIntermediates: async () => true,
  });
  await assert.rejects(judge(PRESENTED, []), StoreUnavailable);
  assert.equal(await answer((await judge({ by: 'nothing' }, [])).outcome), 'certificate-missing');
});

test('where Node hides the intermediates that a caller sent, the refusal and the log say so; a header is not affected', async () => {
  const judgeWith = (isSeen: boolean, verdict: Verdict = NOT_APPROVED) =>
    presentedJudge({
      judge: { judge: async () => verdict },
      admitClock: () => undefined,
      onIgnoredHeader: () => undefined,
      seesIntermediates: async () => isSeen,
    });
  const ruleOf = ({ outcome }: Verdict) => (outcome.ok ? assert.fail('accepted') : outcome.refusal.rule);
  const hidden = await judgeWith(false)(PRESENTED, []);
  assert.equal(await answer(hidden.outcome), 'certificate-issuer-not-approved');
  assert.equal(ruleOf(hidden), 'intermediates-seen');
  assert.match(hidden.steps.at(-1)?.setting ?? '', /use Node 26\.10 or newer, or register/);
  assert.match(
    describe({ reason: 'certificate-issuer-not-approved', rule: 'intermediates-seen' }),
    /not issued by an approved issuer: this server cannot see the intermediates/,
  );
  assert.equal(ruleOf(await judgeWith(true)(PRESENTED, [])), 'issuer-approved');
  const twoSent = { ...PRESENTED, chain: [new Uint8Array(1), new Uint8Array(2)] };
  assert.equal(ruleOf(await judgeWith(false)(twoSent, [])), 'issuer-approved');
  assert.equal((await judgeWith(false, EXPIRED)(PRESENTED, [])).outcome, EXPIRED.outcome);
});
