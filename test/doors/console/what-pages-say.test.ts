// What the pages of the console say and where they lead, word for word, to people with every role. Its transcript is read like the pages.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import type { Act, Author } from '../../../src/core/act.ts';
import { acted, type Event } from '../../../src/core/event.ts';
import type { GrantId } from '../../../src/core/grant.ts';
import type { IdentityId } from '../../../src/core/identity.ts';
import type { ClientId } from '../../../src/core/integration.ts';
import { presenter } from '../../../src/core/presenter.ts';
import { epochSeconds } from '../../../src/core/time.ts';
import { figures } from '../../../src/store/tables/figures.ts';
import { grants } from '../../../src/store/tables/grants.ts';
import { identities, passkeys } from '../../../src/store/tables/identities.ts';
import { issuers } from '../../../src/store/tables/issuers.ts';
import { resourceServers } from '../../../src/store/tables/resource-servers.ts';
import { tokenIssuers } from '../../../src/store/tables/token-issuers.ts';
import { makeAuthority } from '../../authority.ts';
import { eventually } from '../../eventually.ts';
import { ISSUER, put } from '../../node.ts';
import { aTokenIssuer } from '../../platform.ts';
import { anIntegration, aPasskey, aResourceServer, CLIENT, hexOf, NOW, scopeOf } from '../../samples.ts';
import { BOB } from '../pages/running-service.ts';
import { inWords } from './in-words.ts';
import { ConsoleScene, PEOPLE, type Role } from './scene.ts';

const TRANSCRIPT = 'test/doors/console/what-pages-say.txt';
const [HOUR, DAY] = [3600, 86_400];
const ago = (seconds: number) => epochSeconds(NOW - seconds);
const former = makeAuthority({ name: 'Former CA' });
const authority = makeAuthority({ name: 'Corp CA', notBefore: '2026-12-01', notAfter: '2027-01-20' });

/** Its secret ends within days, and another one has nothing to authenticate with. */
const TILL = anIntegration({
  clientId: 'till' as ClientId,
  name: 'Till',
  owners: ['shop-team'],
  confidential: true,
  flows: { device: false, certificate: false, secret: true },
  secrets: [{ hash: hexOf(32), createdAt: ago(80 * DAY), endsAt: epochSeconds(NOW + 2 * DAY) }] as never,
  overrides: { accessTokenLifetime: 900 } as never,
});
/** Named like a person. */
const BARE = anIntegration({
  clientId: 'oscar' as ClientId,
  name: 'Bare',
  confidential: true,
  flows: { device: true, certificate: true, secret: true },
  secrets: [{ hash: hexOf(32, 2), createdAt: ago(90 * DAY), endsAt: ago(DAY) }] as never,
  scope: scopeOf('a:b'),
  access: { to: 'named', identities: [PEOPLE.nina.id], groups: [] },
  owners: ['bare-team'],
});
const OFF = anIntegration({
  clientId: 'off' as ClientId,
  name: 'Off',
  enabled: false,
  keys: { from: 'url', url: 'https://off.example/keys' },
});

/** Of two directories, with one name. */
const TWINS = ['corp:1', 'corp:2'] as IdentityId[];

let scene: ConsoleScene;
before(async () => {
  scene = await ConsoleScene.open([TILL, BARE, OFF], NOW);
  const olga = await scene.visitor('olga');
  const isShown = (text: RegExp) => async () => text.test((await olga.get('/console')).text);
  await eventually('grants are counted, for the first and last time', isShown(/Living grants<.*says">0</s));
  await scene.furnish();
  await furnishThings();
  await furnishGrants();
  await furnishRefusals();
  await eventually('the node knows all', isShown(/expires on.*are accepted/s));
});
after(() => scene?.stop());

async function furnishThings(): Promise<void> {
  const { store } = scene;
  const { certificate } = authority;
  await put(store, issuers, { ...ISSUER, certificate, integrations: [CLIENT] });
  await put(store, issuers, { ...ISSUER, label: 'gone', certificate: former.certificate, enabled: false });
  await put(store, tokenIssuers, aTokenIssuer());
  await put(store, resourceServers, aResourceServer({ secrets: [{ hash: hexOf(32), createdAt: ago(DAY) }] as never }));
  await put(store, identities, { ...BOB, enabled: false });
  await put(store, identities, { ...PEOPLE.vera, groups: ['bare-team'] });
  for (const id of TWINS) await put(store, identities, { ...BOB, enabled: true, id, userName: 'twin' });
  await put(store, passkeys, {
    identityId: PEOPLE.oscar.id,
    keys: [aPasskey('aa', { isStrong: true, createdAt: ago(DAY) })],
  } as never);
  const once = { refused: 1, issued: 1, 'refused refresh-token-reused': 1 };
  const oak = { node: 'oak:2:bb', version: '0.3.1', endsAt: epochSeconds(NOW + DAY) };
  await put(store, figures, { ...oak, step: 900, at: ago(7200), lag: 0, counts: once });
  await put(store, figures, {
    ...{ step: 60, at: ago(120), node: 'oak:2:bb', version: '0.3.1', lag: 2.4, endsAt: epochSeconds(NOW + DAY) },
    counts: {
      fault: 10,
      'refused refresh-token-reused': 3,
      refused: 533, // a tenth of all, exactly
      ...Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((name) => [`refused ${name}`, 9])),
    },
  });
}

/** Of that many letters, in words. */
const agentOf = (length: number) => `${'abcd '.repeat(20).slice(0, length - 1)}z`;

/** With what happened to each. */
async function furnishGrants(): Promise<void> {
  const { store } = scene;
  const { pair } = await scene.grant(1);
  const from = (length: number) => ({ ...pair, presenter: presenter('192.0.2.7', agentOf(length)) });
  await scene.grant(1, 'nina', { pair: from(40) });
  await scene.grant(2, 'vera', { identityId: BOB.id, clientId: OFF.clientId, pair: { ...from(41), generation: 1 } });
  await scene.grant(3, 'nina', { refreshUntil: ago(HOUR), pair: from(79) });
  await scene.grant(4, 'nina', {
    revoked: { at: ago(HOUR), reason: 'reuse' },
    pair: { ...from(80), issuedAt: ago(1.5 * HOUR) },
  });
  for (const [index, holder] of (['olga', 'vera', 'shaun'] as const).entries())
    await scene.grant(6 + index, holder, { createdAt: ago(3 * HOUR) });
  const origin = {
    kind: 'certificate',
    certificate: { certificate: hexOf(16, 5), issuerKey: hexOf(16), key: hexOf(32) },
  } as const;
  await scene.grant(5, 'oscar', { origin, pair: { ...pair, generation: 0 } });
  const of = {
    clientId: CLIENT,
    identityId: PEOPLE.nina.id,
    subjectId: `018f${hexOf(14, 4)}`,
    presenter: presenter('192.0.2.9', 'curl/9 (x)'),
  };
  const by = { as: 'identity', id: PEOPLE.oscar.id, proof: 'passkey' } as const;
  const events: Event[] = [
    {
      ...of,
      type: 'retried',
      at: ago(2 * HOUR),
      detail: { firstAddress: '192.0.2.8', firstAgent: agentOf(80), alarm: true },
    },
    { ...of, type: 'reused', at: ago(HOUR), requestId: hexOf(8, 77), detail: { ended: true } },
    {
      ...of,
      type: 'revoked',
      at: ago(HOUR),
      presenter: presenter('192.0.2.9', ''),
      detail: { reason: 'reuse', scope: 'orders:read' },
    },
    { type: 'revoked', at: ago(HOUR), subjectId: hexOf(16, 6), detail: { reason: 'by-operator', by } } as never,
  ];
  const did = (act: Act, past: number, author: Author = by) => acted(act, { at: ago(past), by: author });
  const [command, service] = [
    { as: 'command', user: 'ann' },
    { as: 'service', why: 'start' },
  ] as const;
  events.push(
    did(
      {
        kind: 'integration',
        id: CLIENT,
        did: 'changed',
        changed: {
          description: { before: 'Old', after: 'Copies orders every night' },
          name: { before: 'Older', after: 'Old' },
        },
      },
      50_000,
    ),
    did({ kind: 'issuer', id: 'gone', did: 'withdrawn' }, 40_000, command),
    did({ kind: 'identity', id: BOB.id, did: 'disabled' }, 30_000),
    did({ kind: 'passkey', id: PEOPLE.oscar.id, did: 'removed', ended: ['aa'], names: ['phone'] }, 20_000),
    did({ kind: 'store', id: 'store', did: 'clock-accepted' }, 10_000, service),
    did({ kind: 'integration', id: OFF.clientId, did: 'disabled' }, 9000),
  );
  await store.change(grants, 'none' as GrantId, () => ({ outcome: undefined, events }));
}

async function furnishRefusals(): Promise<void> {
  const nina = { clientId: CLIENT, identityId: PEOPLE.nina.id };
  const rows = {
    'scope-exceeds-integration': { ...nina, claimed: { scope: 'orders:delete' } },
    'scope-malformed': { claimed: { scope: 'stock:read' } },
    'identity-disabled': { ...nina, identityId: BOB.id },
    'integration-disabled': { ...nina, clientId: OFF.clientId },
    'device-flow-disabled': { ...nina, clientId: TILL.clientId },
    'client-unproven': { ...nina, clientId: BARE.clientId },
    'identity-without-api-access': nina,
    'certificate-issuer-not-approved': { claimed: { subject: 'CN=x', issuer: 'CN=y', serial: '4f', label: 'gone' } },
    'issuer-not-for-integration': { claimed: { subject: 'CN=x', label: 'corp' } },
    'certificate-expired': { claimed: { subject: 'CN=x', issuer: 'CN=y', serial: '5f' } },
    'assertion-issuer-unknown': { clientId: '' },
    'token-issuer-not-for-integration': { claimed: { label: 'ci' } },
    'refresh-token-reused': nina,
    'grant-revoked': nina,
    'something-new': nina,
  };
  for (const [index, [reason, row]] of Object.entries(rows).entries())
    await scene.refusal({ reason, count: index + 20, ...row });
  await scene.refusal({ reason: 'rate-limited', count: 1, clientId: '', last: ago(DAY) } as never);
}

const GRANT = (index: number) => `/grants/018f${hexOf(14, index)}`;
const [NINA = '', OSCAR = ''] = [PEOPLE.nina, PEOPLE.oscar].map(({ id }) => `/identities/${encodeURIComponent(id)}`);
const ofIdentity = (id: string) => encodeURIComponent(id);

const PAGES: Readonly<Record<string, readonly string[]>> = {
  olga: [
    ...['', '?refusals=all&span=day', '/figures/other'],
    ...['requests', 'refusals', 'refreshes', 'times', 'living', 'ending', 'reuse'].map((name) => `/figures/${name}`),
    ...['refusals', 'living', 'refreshes'].map((name) => `/figures/${name}?span=month`),
    ...['', '?identity=nina&all=yes', '?address=192.0.2.99', '?certificate=no', `?after=018f${hexOf(14, 5)}`].map(
      (query) => `/grants${query}`,
    ),
    ...['?after=x', `?identity=${ofIdentity(PEOPLE.nina.id)}`, '?identity=corp:1'].map((query) => `/grants${query}`),
    ...[1, 2, 3, 4, 5].map(GRANT),
    ...[
      `${GRANT(1)}/end`,
      '/grants/no/end',
      '/grants/no',
      '/grants/no?done=yes',
      '/grants/no?done=yes&ended=2',
      '/grants/no?ended=2',
    ],
    ...['?identity=nina', '?address=192.0.2.7', `?integration=${CLIENT}`, '', '?identity=nobody'].map(
      (query) => `/grants/end${query}`,
    ),
    ...['integrations', 'issuers', 'token-issuers', 'resource-servers', 'identities'].map((place) => `/${place}`),
    ...[CLIENT, 'till', 'oscar', 'off', 'no', '?after=off', '?after=zz'].map(
      (id) => `/integrations${id.startsWith('?') ? '' : '/'}${id}`,
    ),
    ...['/issuers/corp', '/issuers/gone', '/token-issuers/ci', '/resource-servers/orders-api', NINA, OSCAR],
    ...[
      'till/secret-drop',
      'till/secret-make',
      'off/enable',
      'no/enable',
      `${CLIENT}/enable`,
      `${CLIENT}/disable`,
      `${CLIENT}/remove`,
      'import',
    ].map((act) => `/integrations/${act}`),
    ...[
      ...['/issuers/corp/remove', '/token-issuers/ci/remove', '/resource-servers/orders-api/remove'],
      `${OSCAR}/passkey-remove?passkey=aa`,
      `${OSCAR}/password`,
      `${NINA}/password`,
      `${NINA}/passkey-invite`,
    ],
    ...[
      '',
      '?type=reused&within=86400',
      '?about=no',
      '?from=x&before=1',
      '?before=1',
      '?to=2027-01-15',
      `?identity=${ofIdentity(PEOPLE.nina.id)}`,
    ].map((query) => `/events${query}`),
    ...['csv?by=oscar', 'jsonl?by=oscar', 'csv?by=nobody'].map((form) => `/events.${form}`),
    ...['/explain', ...[hexOf(8, 77), hexOf(8, 16), 'nina'].map((id) => `/requests/${id}`)],
  ],
  'olga by password': ['/integrations', '/grants', `/integrations/${CLIENT}`, '/integrations/till', OSCAR],
  shaun: [
    ...[
      '',
      '/grants',
      `/grants?integration=${CLIENT}&identity=${ofIdentity(PEOPLE.nina.id)}`,
      GRANT(4),
      '/integrations',
      `/integrations/${CLIENT}`,
    ],
    ...[
      '/integrations/till',
      '/integrations/orders-sync/remove',
      '/integrations/off/disable',
      '/issuers',
      '/explain',
      '/events',
      `/requests/${hexOf(8, 77)}`,
    ],
  ],
  vera: ['/grants', '/grants?integration=oscar', '/integrations/oscar'],
};

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const JWT = `${part({ alg: 'ES256' })}.${part({ iss: 'https://nobody.example', sub: 'x' })}.AAAA`;
const SEEN = { description: 'Older', vendor: 'Example' };

/** Forms that change nothing: questions, and what is shown before something is done. */
const FORMS: readonly (readonly [path: string, fields: Readonly<Record<string, string>>])[] = [
  ...['', 'hello', JWT, authority.issue({ commonName: 'nina' }).pem].map((text) => ['/explain', { text }] as const),
  ...[
    'nina',
    'example.com',
    '192.0.2.7',
    '018f',
    'nobody',
    hexOf(8, 77),
    hexOf(8, 9),
    ...['x'.repeat(64), 'x'.repeat(65), 'orders', 'till'],
    `tsa_${'A'.repeat(60)}`,
  ].map((q) => ['/search', { q }] as const),
  [
    `/integrations/${CLIENT}/change`,
    { step: 'check', name: 'Sync', scope: 'stock:read', 'flows.device': 'yes', undo: '1' },
  ],
  ['/integrations/new', { step: 'check', object_name: 'new', scope: 'a:b' }],
  ['/issuers/new', { step: 'check', object_name: 'gone', pem: former.pem, 'identitySources.common-name': 'yes' }],
  ['/identities/new', { step: 'check', object_name: 'eve', email: 'eve@example.com' }],
  [`/integrations/off/enable`, { revision: '1', seen: JSON.stringify(SEEN) }],
  ['/integrations/no/disable', { revision: '1' }],
  ['/integrations/till/secret-make', { endsIn: 'soon', revision: '1' }],
  [`${OSCAR}/password`, { password: 'short' }],
  ['/integrations/oscar/change', { step: 'check', name: 'Bare' }],
  ['/integrations/off/no', {}],
];

/** Without what is random. */
function settled(text: string): string {
  const people = [...Object.values(PEOPLE), BOB].flatMap(({ id, userName }) => [
    [id, userName],
    [encodeURIComponent(id), userName],
  ]);
  return people
    .reduce((rest, [id = '', name = '']) => rest.replaceAll(id, `ID-OF-${name.toUpperCase()}`), text)
    .replaceAll(/(?:[0-9A-F]{2}: ){31}[0-9A-F]{2}/g, 'FINGERPRINT')
    .replaceAll(/-----BEGIN.*?-----END CERTIFICATE-----/gs, 'PEM')
    .replaceAll(/[\w.-]+:\d+:[0-9a-f]{6,} \| \S+/g, 'NODE | VERSION')
    .replaceAll(/\b6b49d2[0-9a-f]{10}\b/g, 'REQUEST');
}

// To write it anew: UPDATE_TRANSCRIPT=1 npm test -- test/doors/console/what-pages-say.test.ts
test(`${TRANSCRIPT} has what every page says and where it leads`, async () => {
  const told: string[] = [];
  for (const [who, paths] of Object.entries(PAGES)) {
    const [role = ''] = who.split(' ');
    const visitor = await scene.visitor(role as Role, who === role ? 'passkey' : 'password');
    for (const path of paths) {
      const { status, text, headers } = await visitor.get(`/console${path}`);
      const shown = text.startsWith('<')
        ? inWords(text, path === paths[0] ? '<nav class="console-menu' : '<main')
        : text;
      told.push(
        `\n== ${who}: ${path} ${status} ${headers.location ?? headers['content-disposition'] ?? ''} ${headers['content-type']?.replace(/text\/html.*/, '') ?? ''}`.trimEnd(),
        settled(shown),
      );
    }
  }
  const olga = await scene.visitor('olga');
  await olga.get('/console/explain');
  for (const [path, fields] of FORMS) {
    const { status, text, headers } = await olga.post(`/console${path}`, fields);
    const sent = Object.entries(fields).map(([name, value]) => `${name}=${value.slice(0, 10)}`);
    told.push(
      `\n== olga sends ${path} ${sent.join(' ')} ${status} ${headers.location ?? ''}`.trimEnd(),
      settled(inWords(text)),
    );
  }
  const actual = `${told.join('\n').trim()}\n`;
  if (process.env['UPDATE_TRANSCRIPT']) writeFileSync(TRANSCRIPT, actual);
  const pagesOf = (text: string) => text.split(/\n(?=== )/);
  const expected = pagesOf(readFileSync(TRANSCRIPT, 'utf8'));
  for (const [index, page] of pagesOf(actual).entries()) assert.equal(page, expected[index]);
});
