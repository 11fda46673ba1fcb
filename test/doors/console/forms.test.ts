// Forms that people fill in: every field can be read back, and what a form says is what is stored. Keys, secrets, passkeys and
// imports; things that were removed; who did what; and signing in with a certificate.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { after, before, suite, test } from 'node:test';
import { THING_KINDS } from '../../../src/doors/pages/console/things.ts';
import { ACTS } from '../../../src/operations/admin/acts.ts';
import { makeDevelopmentAuthority } from '../../../src/pki/development-authority.ts';
import { passkeys } from '../../../src/store/tables/identities.ts';
import { integrations } from '../../../src/store/tables/integrations.ts';
import { issuers } from '../../../src/store/tables/issuers.ts';
import { tokenIssuers } from '../../../src/store/tables/token-issuers.ts';
import { systemRandom } from '../../../src/system.ts';
import { eventually } from '../../eventually.ts';
import { CLIENT } from '../../samples.ts';
import { ADA } from '../pages/running-service.ts';
import { registered, signInWith } from '../pages/software-passkey.ts';
import { Visitor } from '../pages/visitor.ts';
import { ConsoleScene, fieldsOf, PEOPLE } from './scene.ts';

let scene: ConsoleScene;
let olga: Visitor;
const authority = makeDevelopmentAuthority(new Date(), systemRandom);
before(async () => {
  scene = await ConsoleScene.open();
  olga = await scene.visitor('olga');
});
after(() => scene?.stop());

const integration = async (id: string = CLIENT) => (await scene.store.load(integrations, id)).found?.row;

/** Fills in the form at `path`, looks at the preview, and does it. Returns the preview. */
async function fill(path: string, fields: Record<string, string>): Promise<string> {
  const preview = await olga.post(path, { ...fieldsOf((await olga.get(path)).text), ...fields });
  assert.equal(preview.status, 200, preview.text);
  const done = await olga.post(path, fieldsOf(preview.text));
  assert.equal(done.status, 303, done.text);
  return preview.text;
}

/** Opens the page of an act, and does it with these fields. */
async function act(path: string, fields: Record<string, string> = {}) {
  return olga.post(path, { ...fieldsOf((await olga.get(path)).text), ...fields });
}

test('every act of the table has a command, a page and a summary; what changes a thing has a route on its page', async () => {
  for (const [name, { command, page, summary, method, path }] of Object.entries(ACTS)) {
    assert.match(command, /^[a-z-]+(?: [a-z-]+)*(?:, [a-z]+)*$/, name);
    assert.match(summary, /^[A-Z]\S*(?: \S+)+$/, name);
    const of = THING_KINDS.find(({ place }) => place === page);
    if (!of || method === 'GET' || name.endsWith('-put')) continue;
    const verb = name.slice(of.kind.length + 1);
    const id = path.includes('{id}') ? '/some' : '';
    const { status, text } = await olga.get(`/console/${page}${id}/${verb}`);
    assert.ok(status === 200 || /<h1>Not found/.test(text), `${name}: ${status}`);
  }
});

suite('a form', () => {
  test('requires nothing in a part that is folded away or switched off: a browser would not send it, and not say why', async () => {
    for (const { place } of THING_KINDS) {
      const { text } = await olga.get(`/console/${place}/new`);
      for (const part of text.split(/<div class="variant">|<details/).slice(1))
        assert.doesNotMatch(part.split(/<\/fieldset>|<\/details>/)[0] ?? '', / required[ >]/, place);
    }
  });

  test('has checkboxes, lifetimes such as 15m and lists of lines, and says again what was saved', async () => {
    const path = `/console/integrations/${CLIENT}/change`;
    const preview = await fill(path, {
      'flows.device': '',
      'flows.secret': 'yes',
      'flows.code': 'yes',
      'flows.code.redirectUris': 'https://a.example/back\r\nhttps://b.example/back',
      'access.to': 'named',
      'access.identities': 'nina\nvera',
      'overrides.accessTokenLifetime': '15m',
      'overrides.grantLifetime': '90d',
      'overrides.refresh': 'true',
      exchange: 'evil orders:read',
    });
    assert.match(preview, /Access token lifetime: 15m/);
    const { flows, overrides, access, exchange } = (await integration()) ?? {};
    const code = { redirectUris: ['https://a.example/back', 'https://b.example/back'] };
    assert.deepEqual(flows, { device: false, certificate: true, secret: true, code });
    assert.deepEqual(overrides, { accessTokenLifetime: 900, grantLifetime: 90 * 86_400, refresh: true });
    assert.deepEqual(access, { to: 'named', identities: [PEOPLE.nina.id, PEOPLE.vera.id], groups: [] });
    assert.deepEqual(exchange, [{ integration: 'evil', scope: 'orders:read' }]);
    const again = await olga.post(path, fieldsOf((await olga.get(path)).text));
    assert.match(again.text, /Nothing would change/);
  });

  test('makes an integration with secrets confidential, and public again only without them, with a warning', async () => {
    const path = '/console/integrations/shop-front/change';
    await fill('/console/integrations/new', { object_name: 'shop-front', scope: 'orders:read', 'flows.secret': 'yes' });
    const form = fieldsOf((await olga.get(path)).text);
    assert.equal(form['confidential'], 'true');
    const refused = await olga.post(path, { ...form, confidential: 'false' });
    assert.match(refused.text, /so that it is confidential/);
    await fill(path, { 'flows.secret': '', confidential: '' });
    assert.equal((await integration('shop-front'))?.confidential, true);
    for (const page of ['', '/shop-front'])
      assert.match((await olga.get(`/console/integrations${page}`)).text, />no key or secret</);
    const preview = await fill(path, { confidential: 'false' });
    assert.match(preview, /<strong>It will be public: /);
    assert.match(preview, /<td role="cell" data-title="Now">yes<\/td><td role="cell" data-title="Then">–<\/td>/);
    assert.equal((await integration('shop-front'))?.confidential, false);
    assert.doesNotMatch((await olga.get('/console/integrations/shop-front')).text, />no key or secret</);
  });

  test('of a token issuer takes rules as lines, and shows those that there are', async () => {
    const rules =
      '/repository = acme/app\n/repository = acme/web\n/sub like repo:acme/*\nidentity: {/repository}\nintegrations: orders-sync evil\n\n/sub = x\nidentity: {/sub}';
    const set = JSON.stringify({
      keys: [generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' })],
    });
    const fields = { object_name: 'ci', issuer: 'https://ci.example', 'keys.from': 'file', 'keys.set': set, rules };
    await fill('/console/token-issuers/new', fields);
    const row = (await scene.store.load(tokenIssuers, 'ci')).found?.row;
    assert.deepEqual(
      row?.rules.map(({ conditions }) => conditions),
      [
        [
          { claim: '/repository', test: { oneOf: ['acme/app', 'acme/web'] } },
          { claim: '/sub', test: { like: 'repo:acme/*' } },
        ],
        [{ claim: '/sub', test: { is: 'x' } }],
      ],
    );
    const path = '/console/token-issuers/ci/change';
    const form = fieldsOf((await olga.get(path)).text);
    assert.equal(form['rules'], rules);
    assert.match((await olga.post(path, form)).text, /Nothing would change/);
    const wrong = await olga.post(path, { ...form, rules: 'when it rains' });
    assert.match(wrong.text, /rule 1: .*when it rains.* is not a member/i);
  });

  test('of an authority shows its subject and its checks before it is saved', async () => {
    const fields = {
      object_name: 'corp',
      pem: authority.certificate,
      'identitySources.common-name': 'yes',
      'revocation.crl': 'off',
    };
    const preview = await fill('/console/issuers/new', fields);
    assert.match(preview, /CN=Tessera development authority.*>Revocation lists \(CRL\): off; .*ends grants: yes</s);
    assert.deepEqual((await scene.store.load(issuers, 'corp')).found?.row.identitySources, ['common-name']);
  });
});

test('an issuer that was removed is in the list, and is registered again as it was', async () => {
  const row = async () => (await scene.store.load(issuers, 'corp')).found?.row;
  const was = await row();
  await act('/console/issuers/corp/remove');
  assert.equal((await row())?.enabled, false);
  assert.match((await olga.get('/console/issuers')).text, /\/console\/issuers\/corp".*state bad">removed/s);
  const page = (await olga.get('/console/issuers/corp')).text;
  assert.match(page, /issuer removed.*olga by passkey/s);
  assert.doesNotMatch(page, /withdrawn|>Enabled<|class="notice"/);
  const [, again = ''] = /href="([^"]*new\?like=corp)"/.exec(page) ?? [];
  const { text } = await olga.get(again);
  assert.match(text, /<h1>Register again: corp.*not ended on purpose.*issuer removed.*olga by passkey/s);
  const other = await olga.post(again, { ...fieldsOf(text), upnComparison: 'active-directory' });
  assert.match(other.text, /It was removed; it is registered again with these changes.*active-directory/s);
  const preview = await fill(again, {});
  assert.match(preview, /It was removed; it is registered again as it was\./);
  assert.doesNotMatch(preview, /does not exist/);
  assert.deepEqual(await row(), was);
  assert.match(
    (await olga.get('/console/events?about=corp')).text,
    /issuer registered.*issuer removed.*issuer registered/s,
  );
});

test('what a change took away is put back by the form, filled in; not what changed again since, and for those who may change it only', async () => {
  const page = `/console/integrations/${CLIENT}`;
  const offered = (text: string) => [
    ...text.matchAll(/href="([^"]*\/change\?undo=\d+)#\w+">Put back as before: ([^<]*)…</g),
  ];
  const formerly = (await integration())?.scope.text ?? '';
  await fill(`${page}/change`, { scope: 'stock:read', vendor: 'Acme' });
  const [[, path = '', names] = []] = offered((await olga.get(page)).text);
  assert.equal(names, 'Vendor, Scope');
  for (const who of ['vera', 'shaun'] as const)
    assert.deepEqual(offered((await (await scene.visitor(who)).get(page)).text), [], who);
  assert.equal((await (await scene.visitor('vera')).get(path)).status, 403);
  // Another operator changes one of them: the form puts back the other only, and a form that was open before does nothing.
  const before = fieldsOf((await olga.get(path)).text);
  assert.equal(before['scope'], formerly);
  await fill(`${page}/change`, { vendor: 'Else' });
  const late = await olga.post(path, fieldsOf((await olga.post(path, before)).text));
  assert.equal(late.status, 412);
  assert.match(late.text, /Vendor.*Acme.*Else/s);
  const { text } = await olga.get(path);
  assert.match(text, /Filled in as it was before: Scope\./);
  assert.deepEqual([fieldsOf(text)['scope'], fieldsOf(text)['vendor']], [formerly, 'Else']);
  const preview = await fill(path, {});
  assert.match(preview, /stock:read.*orders:read/s);
  assert.equal((await integration())?.scope.text, formerly);
  assert.doesNotMatch((await olga.get(path)).text, /Filled in/);
  for (const undo of ['0', '99999999', '-1', '1e3', '<b>', '']) {
    const odd = await olga.get(`${page}/change?undo=${encodeURIComponent(undo)}`);
    assert.ok(odd.status === 200 && !odd.text.includes('Filled in') && !odd.text.includes('<b>'), undo);
  }
});

test('keys of an integration are added and removed', async () => {
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'pem', type: 'spki' });
  const path = `/console/integrations/${CLIENT}`;
  assert.match((await act(`${path}/key-add`, { file: 'no key' })).text, /role="alert"/);
  assert.equal((await act(`${path}/key-add`, { file: String(keys) })).headers.location, `${path}?done=yes`);
  const { text } = await olga.get(path);
  const [, remove = ''] = /href="([^"]*key-remove\?key=[^"]*)"/.exec(text) ?? [];
  assert.match(text, /Public keys/);
  assert.equal((await act(remove)).status, 303);
  assert.equal((await integration())?.keys, undefined);
});

test('secrets of an integration are made for a time, shown once, and ended', async () => {
  const path = `/console/integrations/${CLIENT}`;
  for (const endsIn of ['90d', '30d']) {
    const made = await act(`${path}/secret-make`, { endsIn });
    const [, secret = ''] = /<pre>([^<]{20,})<\/pre>/.exec(made.text) ?? [];
    assert.ok(secret && !(await olga.get(path)).text.includes(secret) && !scene.service.logged().includes(secret));
  }
  assert.match((await act(`${path}/secret-make`, { endsIn: 'soon' })).text, /endsIn is not a whole number/);
  assert.equal((await integration())?.secrets?.length, 2);
  assert.equal((await act(`${path}/secret-drop`)).status, 303);
  assert.equal((await integration())?.secrets?.length, 1);
});

test('integrations are imported, all or none', async () => {
  const two = [
    { id: 'one', name: 'One', description: '', scope: 'a:b' },
    { id: 'two', name: 'Two', description: '', scope: '!' },
  ];
  const send = (entries: object) => act('/console/integrations/import', { integrations: JSON.stringify(entries) });
  assert.equal((await send(two)).status, 400);
  assert.equal(await integration('one'), undefined);
  assert.equal(
    (await send(two.map((each) => ({ ...each, scope: 'a:b' })))).headers.location,
    '/console/integrations?done=yes',
  );
  assert.ok((await integration('one')) && (await integration('two')));
});

test('a person who lost a passkey: it is removed, and an invitation lets them add another', async () => {
  const lost = await registered(scene.service);
  const path = `/console/identities/${encodeURIComponent(ADA.id)}`;
  const [, remove = ''] = /href="([^"]*passkey-remove\?passkey=[^"]*)"/.exec((await olga.get(path)).text) ?? [];
  assert.equal((await act(remove)).status, 303);
  assert.deepEqual((await scene.store.load(passkeys, ADA.id)).found?.row.keys, []);
  assert.equal((await signInWith(new Visitor(scene.service), lost)).status, 403);
  assert.match((await act(`${path}/passkey-invite`)).text, /Shown this once.*<pre>[\w-]{8,}/s);
});

test('events are found by thing, by who did it and between two moments', async () => {
  const rows = async (query: string) =>
    (await olga.get(`/console/events?${query}`)).text.match(/<tr role="row"><th scope="row"/g)?.length ?? 0;
  assert.equal(await rows('about=corp'), 3, 'approved, withdrawn, approved');
  assert.equal(await rows('about=corp&by=olga'), 3);
  assert.equal(await rows('about=corp&by=nina'), 0);
  const moment = (ahead: number) => new Date(Date.now() + ahead * 1000).toISOString().slice(0, 16);
  assert.equal(await rows(`about=corp&from=${moment(-600)}&to=${moment(600)}`), 3);
  assert.equal(await rows(`about=corp&to=${moment(-600)}`), 0);
  assert.equal(await rows(`about=corp&from=${moment(600)}`), 0);
});

suite('a certificate', () => {
  const with_ = (name: string, by = authority) => {
    const { certificate: cert, key } = by.issueClient(name);
    return new Visitor(scene.service, {}, { cert, key });
  };
  const signIn = async (visitor: Visitor) => {
    await visitor.get('/console/events');
    return visitor.post('/console/sign-in', { go_on: '/console/events' });
  };

  test('of an approved issuer signs an operator in, who may act; the event names the proof', async () => {
    const visitor = with_('olga');
    assert.match((await visitor.get('/console/events')).text, /Sign in with your certificate/);
    assert.equal((await signIn(visitor)).headers.location, '/console/events');
    const path = `/console/integrations/${CLIENT}/disable`;
    assert.equal((await visitor.post(path, fieldsOf((await visitor.get(path)).text))).status, 303);
    await act(`/console/integrations/${CLIENT}/enable`);
    assert.match((await olga.get('/console/events?type=administered')).text, /olga by certificate/);
    const viewer = with_('vera');
    assert.equal((await signIn(viewer)).status, 303);
    assert.equal((await viewer.get(path)).status, 403, 'groups still count');
  });

  test('signs nobody in who is unknown or disabled, from another authority, or for other integrations only', async () => {
    const other = makeDevelopmentAuthority(new Date(), systemRandom);
    for (const visitor of [with_('nobody'), with_('olga', other), new Visitor(scene.service)]) {
      const { status, text } = await signIn(visitor);
      assert.equal(status, 403);
      assert.match(text, /The certificate was not accepted/);
    }
    const visitor = with_('olga');
    await visitor.get('/console');
    assert.equal((await visitor.post('/console/sign-in', { form_token: '' })).status, 403, 'without a form of ours');
    assert.equal((await visitor.post('/console/sign-in', { go_on: 'x'.repeat(70_000) })).status, 413);
    await fill('/console/issuers/corp/change', { integrations: CLIENT });
    await eventually('every node knows', async () => (await signIn(with_('olga'))).status === 403);
  });
});
