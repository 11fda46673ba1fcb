// One sign-in at an OpenID provider on two nodes: it begins at one, and the browser returns to the other.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type RunningService, startService } from '../../doors/pages/running-service.ts';
import { Visitor } from '../../doors/pages/visitor.ts';
import { PostgresServer } from '../../store/postgres-server.ts';
import { AtProvider, startProvider, type TestProvider } from './provider.ts';

let provider: TestProvider;
let postgres: PostgresServer;
let one: RunningService;
let other: RunningService;

before(async () => {
  [provider, postgres] = await Promise.all([startProvider(), PostgresServer.start()]);
  const sets = [`directories=${JSON.stringify([provider.directory('corp')])}`, `store=${postgres.url()}`];
  one = await startService({ sets });
  other = await startService({ sets: [...sets, `publicUrl=${one.url}`], beside: one });
  provider.serve(one.url, 'corp');
  provider.accounts.set('grace', { preferred_username: 'grace' });
});
after(async () => {
  await Promise.all([one?.stop(), other?.stop(), provider?.stop()]);
  await postgres?.remove();
});

/** The same browser, at another node. */
function movedTo(node: RunningService, { cookies }: Visitor): Visitor {
  const moved = new Visitor(node);
  for (const [name, value] of cookies) moved.cookies.set(name, value);
  return moved;
}

test('a sign-in begins at one node and ends at the other; the session holds at both, and a replay at neither', async () => {
  const atOne = new Visitor(one);
  await atOne.get('/account/sign-in');
  const { headers } = await atOne.post('/account/provider/corp');
  const returns = [];
  for (let times = 0; times < 3; times++)
    returns.push(await new AtProvider(provider).signIn(headers.location ?? '', 'grace'));
  const [first, second, third] = returns.map(({ pathname, search }) => pathname + search) as [string, string, string];
  const atOther = movedTo(other, atOne);
  const returned = await atOther.get(first);
  assert.equal(returned.headers.location, '/account', returned.text + other.logged());
  for (const node of [one, other]) assert.match((await movedTo(node, atOther).get('/account')).text, /grace/);
  // With the cookie of the sign-in, and codes that are still good.
  for (const [node, path] of [[one, second] as const, [other, third] as const])
    assert.equal((await movedTo(node, atOne).get(path)).status, 403);
});
