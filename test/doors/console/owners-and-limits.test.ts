// Owners see and do theirs, whatever else they are; long forms, long exports, and sessions that nobody uses.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { acted } from '../../../src/core/event.ts';
import type { ClientId } from '../../../src/core/integration.ts';
import { identities } from '../../../src/store/tables/identities.ts';
import { sessions, sessionsOf } from '../../../src/store/tables/sessions.ts';
import { eventually } from '../../eventually.ts';
import { anIntegration, CLIENT, hexOf, OPERATOR } from '../../samples.ts';
import { Visitor } from '../pages/visitor.ts';
import { ConsoleScene, fieldsOf, PEOPLE } from './scene.ts';

let scene: ConsoleScene;
before(async () => {
  const others = Array.from({ length: 120 }, (_, index) =>
    anIntegration({ clientId: `aa-secret-${String(index).padStart(3, '0')}` as ClientId }),
  );
  scene = await ConsoleScene.open(others);
});
after(() => scene?.stop());

suite('an owner', () => {
  test('lists their integrations, and learns no name of another one', async () => {
    const shaun = await scene.visitor('shaun');
    const { text } = await shaun.get('/console/integrations');
    assert.match(text, new RegExp(CLIENT));
    assert.doesNotMatch(text, /aa-secret|after=/);
    assert.doesNotMatch((await shaun.get('/console/integrations?after=aa-secret-050')).text, /aa-secret/);
    assert.equal((await shaun.get('/console/identities')).status, 403);
  });

  test('who sees everything gets a hundred of them at once', async () => {
    const { text } = await (await scene.visitor('vera')).get('/console/integrations');
    assert.equal(text.match(/<tr role="row"><th scope="row"/g)?.length, 100);
    assert.match(text, /aa-secret-000.*after=aa-secret-099/s);
  });
});

test('an owner learns from no form and no filter which people there are', async () => {
  await scene.change(CLIENT, { access: { to: 'named', identities: [PEOPLE.shaun.id], groups: [] } });
  const shaun = await scene.visitor('shaun');
  const path = `/console/integrations/${CLIENT}/change`;
  const previewed = async (name: string) => {
    const fields = fieldsOf((await shaun.get(path)).text);
    const entered = { ...fields, 'access.to': 'named', 'access.identities': name };
    const { status, text } = await shaun.post(path, { ...entered, step: 'check' });
    return { status, said: /<div class="alert".*?<\/div>/s.exec(text)?.[0] };
  };
  const known = await previewed('nina');
  assert.equal(known.status, 400);
  assert.match(known.said ?? '', /widens the integration/);
  assert.deepEqual(known, await previewed('nobody-at-all'));
  const filter = new URLSearchParams({ integration: CLIENT, identity: PEOPLE.nina.id });
  assert.doesNotMatch((await shaun.get(`/console/grants?${filter}`)).text, /nina/);
  await scene.change(CLIENT, { access: { to: 'everyone' } });
});

suite('forms', () => {
  const issuer = (size: number) => ({
    object_name: 'big',
    issuer: 'https://big.example',
    'keys.from': 'file',
    'keys.set': JSON.stringify({ keys: [{ kty: 'RSA', n: 'A'.repeat(size), e: 'AQAB' }] }),
    rules: '[{"when":{"/a":"b"},"identity":"{/sub}"}]',
    step: 'check',
  });

  test('may be long from somebody who is signed in', async () => {
    const olga = await scene.visitor('olga');
    await olga.get('/console/token-issuers/new');
    for (const [size, isRead] of [
      [40_000, true],
      [200_000, true],
      [300_000, false],
    ] as const) {
      const { status } = await olga.post('/console/token-issuers/new', issuer(size));
      assert.equal(status === 413, !isRead, `${size}: ${status}`);
    }
  });

  test('of unauthenticated clients are refused unread', async () => {
    const nobody = new Visitor(scene.service);
    await nobody.get('/account/sign-in');
    for (const path of ['/console/token-issuers/new', '/console/search']) {
      const { status } = await nobody.post(path, issuer(200_000));
      assert.equal(status, 403, path);
    }
  });

  test('show no password of a new identity in the preview; it is asked for there', async () => {
    const olga = await scene.visitor('olga');
    const first = await olga.get('/console/identities/new');
    assert.doesNotMatch(first.text, /type="password"/);
    const entered = { object_name: 'newbie', userName: 'newbie', password: 'canary-Passw0rd-canary' };
    const seen = await olga.post('/console/identities/new', { ...entered, step: 'check' });
    assert.equal(seen.status, 200);
    assert.doesNotMatch(seen.text, /canary/);
    assert.match(seen.text, /name="password"[^>]*type="password"/);
    assert.equal((await olga.post('/console/identities/new', { ...entered, step: 'do' })).status, 303);
    assert.equal((await new Visitor(scene.service).signIn('newbie', 'canary-Passw0rd-canary')).status, 303);
  });
});

test('an export has every event, or says that it does not', async () => {
  const olga = await scene.visitor('olga');
  const by = OPERATOR;
  const act = { kind: 'identity', id: PEOPLE.nina.id, did: 'password-set' } as const;
  const write = (count: number) =>
    scene.store.change(identities, PEOPLE.nina.id, (_, at) => ({
      outcome: undefined,
      events: Array.from({ length: count }, () => acted(act, { at, by })),
    }));
  for (let round = 0; round < 12; round++) await write(1_000);
  const [newest] = (await scene.store.newestEvents({ count: 1 })).slice(-1);
  const whole = await olga.get('/console/events.jsonl');
  const numbers = whole.text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).sequence);
  assert.deepEqual([numbers[0], numbers.at(-1)], [1, newest?.sequence]);
  assert.equal(new Set(numbers).size, newest?.sequence);
  assert.match(String(whole.headers['content-disposition']), /events\.jsonl/);
  for (let round = 0; round < 40; round++) await write(1_000);
  for (const form of ['jsonl', 'csv']) {
    const { text, headers } = await olga.get(`/console/events.${form}`);
    assert.match(String(headers['content-disposition']), /events-newest-50000/);
    assert.match(text.trim().split('\n').at(-1) ?? '', /There are older events, before \d+/);
  }
  const reused = (await olga.get('/console/events?type=reused')).text;
  assert.match(reused, /None of the last 10,000 events matches.*href="[^"]*before=\d+"[^>]*>Older</s);
  assert.match((await olga.get('/console/events?type=reused&before=9')).text, /No event matches/);
});

test('grants are listed page by page, newest first', async () => {
  const olga = await scene.visitor('olga');
  const indexes = Array.from({ length: 53 }, (_, index) => 100 + index);
  await Promise.all(indexes.map((index) => scene.grant(index, 'vera')));
  const listed = async (path: string) => {
    const { text } = await olga.get(path);
    const ids = [...text.matchAll(/href="\/console\/grants\/(018f[0-9a-f]+)"/g)].map(([, id]) => id);
    return { ids, next: /href="([^"]*after=[^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') };
  };
  const first = await listed('/console/grants?identity=vera');
  const last = await listed(first.next ?? '');
  const ids = indexes.toReversed().map((index) => `018f${hexOf(14, index)}`);
  assert.deepEqual([first.ids.length, last.next], [50, undefined]);
  assert.deepEqual([...first.ids, ...last.ids], ids);
});

test('of more grants than one count reads, all are ended, and the page says that there are more', async () => {
  const olga = await scene.visitor('olga');
  await Promise.all(Array.from({ length: 1001 }, (_, index) => scene.grant(1000 + index, 'oscar')));
  assert.match((await olga.get('/console/grants/end?identity=oscar')).text, /<h1>End 1000 grants or more\?<\/h1>/);
  assert.match((await olga.get('/console/grants?address=192.0.2.8')).text, /None of the first 1,000 grants matches\./);
  const { headers } = await olga.post('/console/grants/end', { identity: 'oscar' });
  assert.equal(headers.location, '/console/grants?done=yes&ended=1001');
});

test('what an open page fetches by itself does not keep the session', async () => {
  const nina = await scene.visitor('olga');
  const seenAt = async () =>
    Math.max(
      ...(await scene.store.page(sessions, { where: sessionsOf(PEOPLE.olga.id), limit: 99 })).map((row) => row.seenAt),
    );
  const begun = await seenAt();
  scene.service.advance(120);
  assert.equal((await nina.get('/console', { 'Tessera-Live': 'yes' })).status, 200);
  assert.equal(await seenAt(), begun);
  assert.equal((await nina.get('/console')).status, 200);
  await eventually('the session is marked', async () => (await seenAt()) > begun);
});
