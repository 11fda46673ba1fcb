// A form that was refused says which field is at fault: to eyes, to screen readers, and by the cursor (WCAG 2.2, 3.3.1 and 3.3.3).
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { PASSWORD } from '../pages/running-service.ts';
import { type Seen, Visitor } from '../pages/visitor.ts';
import { ConsoleScene, EVIL_ID, fieldsOf, ORDERS_SYNC, PEOPLE } from './scene.ts';

let scene: ConsoleScene;
let olga: Visitor;
before(async () => {
  scene = await ConsoleScene.open();
  olga = await scene.visitor('olga');
});
after(() => scene?.stop());

type Fields = Readonly<Record<string, string>>;

async function fill(path: string, fields: Fields, visitor = olga): Promise<Seen> {
  return visitor.post(path, { ...fieldsOf((await visitor.get(path)).text), ...fields });
}

/** The ids of the controls that are marked; what has the focus; and what the box says, with where its link leads. */
function marksOf({ text }: Seen) {
  const tags = [...text.matchAll(/<(?:input|select|textarea|div)\b[^>]*>/g)].map(([tag]) => tag);
  const idOf = (tag = '') => /\bid="([^"]*)"/.exec(tag)?.[1];
  const marked = tags.filter((tag) => tag.includes('aria-invalid="true"'));
  for (const tag of marked) {
    const [, by = ''] = /aria-describedby="([^"]*)"/.exec(tag) ?? [];
    for (const id of by.split(' ')) assert.match(text, new RegExp(`id="${id}"[^>]*>`), `what describes it: ${id}`);
  }
  const focused = tags.filter((tag) => tag.includes(' autofocus')).map(idOf);
  const [, leadsTo] = /id="fault"[^>]*><p><strong><a href="#([^"]*)"/.exec(text) ?? [];
  return { marked: marked.map(idOf), focused, leadsTo };
}

const solid = (text = '') => text.replaceAll(/\s/g, '');
const at = (field: string) => ({ marked: [field], focused: [field], leadsTo: field });
/** No field alone is at fault: the box has the focus. */
const WHOLE = { marked: [], focused: ['fault'], leadsTo: undefined };

const ORDERS = `/console/integrations/${ORDERS_SYNC.clientId}`;
const NINA = `/console/identities/${encodeURIComponent(PEOPLE.nina.id)}`;
const NEW = { object_name: 'till', scope: 'a:b' };
const SOURCE = { 'identitySources.common-name': 'yes' };
const KEYS = { 'keys.from': 'url', 'keys.url': 'https://ci.example/keys', rules: '/sub = x\nidentity: {/sub}' };

const REFUSED: readonly (readonly [path: string, entered: Fields, field: string | undefined])[] = [
  [`${ORDERS}/change`, { scope: 'no scope' }, 'scope'],
  [`${ORDERS}/change`, { scope: '' }, 'scope'],
  [`${ORDERS}/change`, { name: '<b>' }, 'name'],
  [`${ORDERS}/change`, { owners: 'a\n\u0007' }, 'owners'],
  [`${ORDERS}/change`, { 'overrides.accessTokenLifetime': 'soon' }, 'overrides.accessTokenLifetime'],
  [`${ORDERS}/change`, { 'overrides.grantLifetime': '200000d' }, 'overrides.grantLifetime'],
  [`${ORDERS}/change`, { 'flows.code': 'yes', 'flows.code.redirectUris': 'ftp://x' }, 'flows.code.redirectUris'],
  [`${ORDERS}/change`, { 'access.to': 'named', 'access.identities': 'nobody' }, 'access.identities'],
  [`${ORDERS}/change`, { secretAddresses: '10.0.0.0/99' }, 'secretAddresses'],
  [`${ORDERS}/change`, { exchange: 'evil ???' }, 'exchange'],
  [`${ORDERS}/change`, { 'publicKeys.from': 'url', 'publicKeys.url': 'ftp://x' }, 'publicKeys.url'],
  ['/console/integrations/new', { ...NEW, object_name: 'a b' }, 'object_name'],
  ['/console/integrations/new', { ...NEW, object_name: EVIL_ID }, 'object_name'],
  ['/console/issuers/new', { object_name: '1', pem: 'x', ...SOURCE }, 'object_name'],
  ['/console/issuers/new', { object_name: 'corp', pem: 'x' }, 'identitySources.common-name'],
  ['/console/issuers/new', { object_name: 'corp', pem: 'x', ...SOURCE }, 'pem'],
  ['/console/token-issuers/new', { object_name: 'ci', issuer: ' ', ...KEYS }, 'issuer'],
  ['/console/token-issuers/new', { object_name: 'ci', issuer: 'https://ci.example', ...KEYS, rules: 'what' }, 'rules'],
  ['/console/resource-servers/new', { object_name: 'api', audience: 'x', resources: 'orders' }, 'audience'],
  ['/console/resource-servers/new', { object_name: 'api', audience: 'https://a.example', resources: '!' }, 'resources'],
  ['/console/identities/new', { object_name: 'ada ada' }, 'object_name'],
  [`${NINA}/change`, { email: 'nina' }, 'email'],
  [`${NINA}/password`, { password: 'short' }, 'password'],
  [`${ORDERS}/key-add`, { file: 'no key' }, 'file'],
  [`${ORDERS}/secret-make`, { endsIn: 'soon' }, 'endsIn'],
  [`${ORDERS}/secret-make`, { endsIn: '900d' }, 'endsIn'],
  ['/console/integrations/import', { integrations: '[{}]' }, 'integrations'],
  [`${ORDERS}/secret-drop`, {}, undefined],
  ['/console/explain', { text: 'neither' }, 'text'],
];

suite('a refused form of the console', () => {
  for (const [path, entered, field] of REFUSED)
    test(`${path.replace(/%[^/]*/, '…')} with ${JSON.stringify(entered)}: ${field ?? 'the box'} is marked, described and focused, and what was entered is there`, async () => {
      const first = await fill(path, entered);
      // What only the store knows is refused in the last step.
      const seen = first.status === 200 ? await olga.post(path, fieldsOf(first.text)) : first;
      assert.equal(seen.status, 400, seen.text);
      assert.deepEqual(marksOf(seen), field === undefined ? WHOLE : at(field));
      const again = fieldsOf(seen.text);
      for (const [name, value] of Object.entries(entered))
        if (!['password', 'text'].includes(name)) assert.ok(solid(again[name]).startsWith(solid(value)), name);
    });

  test('shows neither a password nor what may be an assertion again', async () => {
    const assertion = 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.not base64';
    for (const [path, entered] of [
      [`${NINA}/password`, { password: 'Sh0rt!' }],
      ['/console/explain', { text: assertion }],
    ] as const)
      assert.ok(!(await fill(path, entered)).text.includes(Object.values(entered)[0] ?? ''), path);
  });

  test('a password that is asked for with the preview, and is refused, is asked for again there', async () => {
    const preview = await fill('/console/identities/new', { object_name: 'grace' });
    const refused = await olga.post('/console/identities/new', { ...fieldsOf(preview.text), password: 'short' });
    assert.deepEqual(marksOf(refused), at('password'));
    assert.match(refused.text, /Before it is done/);
    const done = await olga.post('/console/identities/new', { ...fieldsOf(refused.text), password: PASSWORD });
    assert.equal(done.status, 303, done.text);
  });

  for (const [path, field] of [
    ['/console/grants?identity=nobody', 'identity'],
    ['/console/grants?certificate=nothing', 'certificate'],
    ['/console/events?from=tuesday', 'from'],
    ['/console/events?from=2026-11-18&to=tuesday', 'to'],
    ['/console/events?by=nobody', 'by'],
  ] as const)
    test(`the filter of ${path} stays, open, with its field marked`, async () => {
      const seen = await olga.get(path);
      assert.deepEqual(marksOf(seen), at(field));
      assert.match(seen.text, /<details class="fold" id="filter" open>/);
    });
});

suite('a refused form of a person', () => {
  const both = { marked: ['user_name', 'password'], focused: ['password'], leadsTo: 'password' };
  const ada = async () => {
    const visitor = new Visitor(scene.service);
    await visitor.signIn();
    return visitor;
  };
  const PAGES: Readonly<Record<string, readonly [() => Promise<Seen>, ReturnType<typeof marksOf>]>> = {
    'sign-in: which of the two is wrong is not said': [
      () => fill('/account/sign-in', { user_name: 'ada', password: 'x' }, new Visitor(scene.service)),
      { ...both, marked: ['user_name', 'password'] },
    ],
    'a malformed code': [() => fill('/device', { user_code: '!' }, new Visitor(scene.service)), at('user_code')],
    'an unknown code': [async () => (await ada()).get('/device?user_code=WDJB-MJHT&wrong'), at('user_code')],
    'a wrong current password': [
      async () =>
        fill('/account/password', { current: 'x', next: 'y'.repeat(20), repeated: 'y'.repeat(20) }, await ada()),
      at('current'),
    ],
    'a password that is too short': [
      async () => fill('/account/password', { current: PASSWORD, next: 'y', repeated: 'y' }, await ada()),
      at('next'),
    ],
    'two new passwords that differ': [
      async () => fill('/account/password', { current: PASSWORD, next: 'y', repeated: 'z' }, await ada()),
      at('repeated'),
    ],
  };
  for (const [name, [send, expected]] of Object.entries(PAGES))
    test(name, async () => {
      assert.deepEqual(marksOf(await send()), expected);
    });
});

suite('Back from a preview', () => {
  test('shows the form as it was filled in, and of the same revision: a change by somebody else is noticed still', async () => {
    const path = `${ORDERS}/change`;
    const entered = { vendor: 'Acme', 'overrides.accessTokenLifetime': '7m', 'flows.device': '' };
    const preview = await fill(path, entered);
    assert.match(preview.text, /<button class="button quiet" name="edit" value="yes" formnovalidate>Back<\/button>/);
    const back = await olga.post(path, { ...fieldsOf(preview.text), edit: 'yes' });
    assert.equal(back.status, 200);
    const { vendor, 'overrides.accessTokenLifetime': lifetime, 'flows.device': device, revision } = fieldsOf(back.text);
    assert.deepEqual([vendor, lifetime, device], ['Acme', '7m', undefined]);
    assert.equal(revision, fieldsOf(preview.text)['revision']);
  });

  test('keeps the name of a new thing, and no password', async () => {
    const path = '/console/identities/new';
    const preview = await fill(path, { object_name: 'hedy', email: 'hedy@example.com' });
    const back = await olga.post(path, { ...fieldsOf(preview.text), password: PASSWORD, edit: 'yes' });
    const { object_name: name, email } = fieldsOf(back.text);
    assert.deepEqual([name, email], ['hedy', 'hedy@example.com']);
    assert.ok(!back.text.includes(PASSWORD));
  });
});
