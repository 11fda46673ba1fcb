// What followers of the revocation feed hear of every act.
// Only in test:all: every kind of act
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { suite, test } from 'node:test';
import { KINDS, type Kind } from '../../../src/core/act.ts';
import type { FeedState } from '../../../src/core/feed.ts';
import type { Identity } from '../../../src/core/identity.ts';
import { enableIdentity } from '../../../src/operations/admin/change-identity.ts';
import { setPassword } from '../../../src/operations/admin/set-password.ts';
import { itemsAfter } from '../../../src/operations/feed/read-feed.ts';
import { firstPage } from '../../../src/operations/feed/snapshot.ts';
import { accepted } from '../../node.ts';
import { ofLaterRelease, PASSWORD, type Scene, scene } from './scene.ts';
import { nothing, TOLD, type Told } from './told-acts.ts';

/** What a follower hears of the last act. */
async function heard(at: Scene, act: (at: Scene) => Promise<unknown>) {
  const [before] = await at.store.newestEvents({ count: 1 });
  await act(at);
  const items = await itemsAfter({ epoch: 1, sequence: before?.sequence ?? 0 }, 100, at.store);
  const events = await at.store.events({ after: before?.sequence ?? 0, limit: 100, acts: true });
  const done = events.flatMap(({ type, detail }) => (type === 'administered' ? [`${detail.kind} ${detail.did}`] : []));
  return { done, states: items.map(({ state }) => state) };
}

for (const kind of Object.keys(KINDS) as Kind[])
  suite(kind, () => {
    for (const did of Object.keys(KINDS[kind])) {
      const { first, act, hears } = (TOLD[kind] as Readonly<Record<string, Told>>)[did] as Told;
      test(`${did}: ${hears === nothing ? 'a follower hears nothing' : 'a follower hears what is so now'}`, async (t) => {
        const at = await scene(t);
        await first?.(at);
        const { done, states } = await heard(at, act);
        assert.equal(done.at(-1), `${kind} ${did}`);
        const expected = hears(at);
        if (!expected)
          return assert.deepEqual(
            states.filter((state) => state !== undefined),
            [],
          );
        assert.partialDeepStrictEqual(states.at(-1), expected);
        if (expected['about'] === 'resource-server') return; // never in a snapshot
        const { states: all } = await firstPage(at.store);
        const same = all.filter((state) => keyOf(state) === keyOf(expected as never));
        assert.ok(same.length > 0);
        for (const state of same) assert.partialDeepStrictEqual(state, expected);
      });
    }
  });

function keyOf(state: FeedState): string {
  if (state.about === 'identity') return state.identity;
  return state.about === 'integration' ? state.integration.clientId : state.about;
}

test('an act of a later release tells followers what is so now, of what it names', async (t) => {
  const at = await scene(t);
  const integration = await heard(at, () => ofLaterRelease({ clientId: 'till' }, at));
  assert.partialDeepStrictEqual(integration.states, [{ about: 'integration', integration: { clientId: 'till' } }]);
  assert.deepEqual((await heard(at, () => ofLaterRelease({}, at))).states, [undefined]);
});

test('a password that is set after an identity was disabled does not hide that from a new follower', async (t) => {
  const at = await scene(t);
  const { id }: Identity = at.ada;
  accepted(await enableIdentity(id, false, at));
  accepted(await setPassword(id, PASSWORD, at));
  const { states } = await firstPage(at.store);
  assert.partialDeepStrictEqual(
    states.filter((state) => state.about === 'identity'),
    [{ identity: hash('sha256', id), isAllowed: false }],
  );
});
