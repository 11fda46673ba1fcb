// The store has lost refreshes, and that was accepted: the newest token of a grant counts, unless an older one came first.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import type { Grant } from '../../src/core/grant.ts';
import type { TokenOverrides } from '../../src/core/integration.ts';
import { seconds } from '../../src/core/time.ts';
import { acceptLoss } from '../../src/operations/admin/after-restore.ts';
import type { TokenPair } from '../../src/operations/grant/token-pair.ts';
import { grants } from '../../src/store/tables/grants.ts';
import { mintRefreshToken, parseRefreshToken } from '../../src/tokens/opaque/token-text.ts';
import { accepted, answer, changeIntegration, check, issue, type Node, put, refresh, revoke } from '../node.ts';
import { watching } from '../nodes/put-back.ts';
import { onSqlite } from './on-sqlite.ts';

interface Loss {
  readonly kept: number;
  readonly made: number;
  readonly overrides?: TokenOverrides;
}

/** A grant with a token of each generation, whose row is that of generation `kept` again. */
async function lossOf(t: TestContext, { kept, made, overrides = {} }: Loss) {
  const { node, clock } = await onSqlite(t);
  await changeIntegration(node, { overrides });
  const pairs = [await issue(node)];
  let row = await rowOf(node, pairs);
  for (let n = 1; n <= made; n++) {
    pairs.push(accepted(await refresh(node, pairs.at(-1) as TokenPair)));
    if (n === kept) row = await rowOf(node, pairs);
  }
  await put(node.store, grants, row);
  clock.move(1);
  const of = (generation: number) => refresh(node, pairs[generation] as TokenPair);
  return { node, clock, pairs, of, accept: () => acceptLoss(node) };
}

async function rowOf({ store }: Node, [pair]: readonly TokenPair[]): Promise<Grant> {
  const { found } = await store.load(grants, pair?.grantId ?? '');
  assert.ok(found);
  return found.row;
}

test('the newest token goes on from where it was, with the number of lost generations in an event', async (t) => {
  const { node, of, accept, pairs } = await lossOf(t, { kept: 2, made: 5 });
  await accept();
  const next = accepted(await of(5));
  assert.equal((await rowOf(node, pairs)).pair.generation, 6);
  assert.equal(await answer(refresh(node, next)), 'accepted');
  const events = (await node.store.events({ after: 0, limit: 100 })).filter(({ type }) => type === 'healed');
  assert.deepEqual(
    events.map(({ detail, subjectId }) => [detail, subjectId]),
    [[{ generations: 3 }, pairs[0]?.grantId]],
  );
});

test('its answer may be lost too: a retry gets the same pair', async (t) => {
  const { of, accept } = await lossOf(t, { kept: 0, made: 2 });
  await accept();
  const [next, again] = [accepted(await of(2)), accepted(await of(2))];
  assert.equal(again.refreshToken?.reveal(), next.refreshToken?.reveal());
});

test('a loss that nobody accepted explains nothing, and a token that is newer ends the grant', async (t) => {
  const { of } = await lossOf(t, { kept: 0, made: 1 });
  assert.equal(await answer(of(1)), 'store-rolled-back');
  assert.equal(await answer(of(0)), 'grant-revoked');
});

test('a login with two lines puts nobody else in doubt, however often the older one was refreshed', async (t) => {
  const { node, pairs, accept } = await lossOf(t, { kept: 1, made: 4 });
  const { watch } = watching(node.store);
  await watch.look();
  await accept();
  const watched = { ...node, explainLoss: watch.explainLoss.bind(watch) };
  accepted(await refresh(watched, pairs[1] as TokenPair));
  assert.equal(await answer(check(watched, pairs[4] as TokenPair)), 'access-token-not-authentic');
  assert.equal(await answer(refresh(watched, pairs[4] as TokenPair)), 'store-rolled-back');
  assert.equal(watch.problem, undefined);
});

for (const [what, first, then] of [
  ['of the row', 1, 4],
  ['between', 2, 4],
] as const)
  test(`a token ${what} that comes first is current, and the newest one ends the grant`, async (t) => {
    const { node, clock, of, accept } = await lossOf(t, { kept: 1, made: 4 });
    await accept();
    clock.move(1);
    const taken = accepted(await of(first));
    assert.equal(await answer(of(then)), 'store-rolled-back');
    assert.equal(await answer(refresh(node, taken)), 'grant-revoked');
  });

test('an older token that comes after the newest is reuse, as ever', async (t) => {
  const { node, of, accept } = await lossOf(t, { kept: 1, made: 4 });
  await accept();
  const next = accepted(await of(4));
  assert.equal(await answer(of(2)), 'refresh-token-reused');
  assert.equal(await answer(refresh(node, next)), 'grant-revoked');
});

const WINDOW = 7200;

for (const kept of [0, 1])
  for (const later of [64, WINDOW])
    test(`siblings with lost generations after ${kept} are answered for a window from the healing, ${later} s after the loss`, async (t) => {
      const overrides = { accessTokenLifetime: seconds(WINDOW), refreshSiblingWindow: seconds(WINDOW) };
      const { clock, of, accept } = await lossOf(t, { kept, made: 5, overrides });
      await accept();
      clock.move(later);
      const next = accepted(await of(5));
      clock.move(64);
      for (const generation of [4, 3, 1])
        assert.equal(accepted(await of(generation)).refreshToken?.reveal(), next.refreshToken?.reveal());
      clock.move(WINDOW - 63);
      assert.equal(await answer(of(4)), 'refresh-token-reused');
    });

/** The token of a generation that was never made, for whoever has a server key and a token of the grant. */
function forged({ keyring }: Node, pair: TokenPair | undefined, generation: number): TokenPair {
  const token = parseRefreshToken(pair?.refreshToken?.reveal() ?? '', keyring);
  assert.ok(token && pair);
  return { ...pair, refreshToken: mintRefreshToken({ ...token, generation }, keyring.minting) };
}

const LAST = 2 ** 32 - 1;

for (const [generation, expected] of [
  [1_000_000, 'accepted'],
  [1_000_001, 'store-rolled-back'],
  [LAST, 'store-rolled-back'],
] as const)
  test(`a forged jump to generation ${generation}: ${expected}`, async (t) => {
    const { node, accept, pairs } = await lossOf(t, { kept: 0, made: 1 });
    await accept();
    assert.equal(await answer(refresh(node, forged(node, pairs[0], generation))), expected);
  });

for (const kept of [LAST - 3, LAST - 1, LAST])
  test(`near the last generation (row ${kept}), refresh tokens are refused, and nothing fails`, async (t) => {
    const { node, accept, pairs } = await lossOf(t, { kept: 0, made: 0 });
    const row = await rowOf(node, pairs);
    await put(node.store, grants, { ...row, pair: { ...row.pair, generation: kept } });
    await accept();
    let pair = forged(node, pairs[0], kept);
    for (let generation = kept; generation < LAST; generation++) pair = accepted(await refresh(node, pair));
    assert.equal(await answer(refresh(node, pair)), 'grant-expired');
    assert.equal(await answer(refresh(node, forged(node, pairs[0], LAST))), 'grant-expired');
  });

test('nor does a row within reach of the last generation heal to it', async (t) => {
  const { node, clock, accept, pairs } = await lossOf(t, { kept: 0, made: 0 });
  const row = await rowOf(node, pairs);
  await put(node.store, grants, { ...row, pair: { ...row.pair, generation: LAST - 9 } });
  clock.move(1);
  await accept();
  assert.equal(await answer(refresh(node, forged(node, pairs[0], LAST))), 'store-rolled-back');
});

test('a grant that was revoked again stays so', async (t) => {
  const { node, of, accept, pairs } = await lossOf(t, { kept: 0, made: 2 });
  accepted(await revoke(node, pairs[0] as TokenPair));
  await accept();
  assert.equal(await answer(of(2)), 'grant-revoked');
});

test('the access token of the newest generation works again after its refresh', async (t) => {
  const { node, of, accept, pairs } = await lossOf(t, { kept: 0, made: 2 });
  await accept();
  accepted(await of(2));
  assert.equal(await answer(check(node, pairs[2] as TokenPair)), 'accepted');
});

test('of random losses and presenters, at most one line of a grant lives, and an honest caller ends only if somebody used an older token', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 6 }),
      fc.nat(5),
      fc.array(fc.nat(6), { maxLength: 4 }),
      async (made, keptOf, order) => {
        const kept = Math.min(keptOf, made - 1);
        const { node, clock, of, accept, pairs } = await lossOf(t, { kept, made });
        await accept();
        clock.move(1);
        let honest = pairs.at(-1) as TokenPair;
        const lines = new Set<string>();
        let hasThief = false;
        // The place of the honest caller in the order; everything else presents an older token.
        for (const each of [...order, made]) {
          const isHonest = each >= made;
          const outcome = await (isHonest ? refresh(node, honest) : of(each));
          if (!isHonest) hasThief = true;
          if (outcome.ok && isHonest) honest = outcome.value;
          if (isHonest && !hasThief) assert.ok(outcome.ok, 'nobody was in the way');
          if (outcome.ok) lines.add(outcome.value.refreshToken?.reveal() ?? '');
        }
        clock.move(61); // no retries
        let alive = 0;
        for (const token of [...lines].reverse()) {
          const outcome = await refresh(node, { refreshToken: { reveal: () => token } } as TokenPair);
          if (outcome.ok) alive++;
        }
        assert.ok(alive <= 1, 'after the line that lives, every other token is reuse');
      },
    ),
    { numRuns: 25 },
  );
});
