// A field that the published schema has is lost nowhere. The fields come from the schema, their values from here or from their
// types: a new field is tried without a change here, or fails for want of a value. A made-up one is looked for wherever people
// and programs learn what fields there are.
import assert from 'node:assert/strict';
import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { after, before, suite, type TestContext, test } from 'node:test';
import { objectReference } from '../../../lab/configuration/objects.ts';
import { adminDocument } from '../../../src/doors/admin/openapi.ts';
import { fieldsFor, readObject } from '../../../src/doors/pages/console/form.ts';
import { type Keywords, schemaOf, THING_KINDS } from '../../../src/doors/pages/console/things.ts';
import type { ActName } from '../../../src/operations/admin/acts.ts';
import { OBJECTS_SCHEMA } from '../../../src/operations/admin/objects.ts';
import { publishKeys } from '../../../src/operations/admin/signing-keys.ts';
import { REGISTERED } from '../../../src/store/all-tables.ts';
import type { LoggedEvent } from '../../../src/store/store.ts';
import { identities } from '../../../src/store/tables/identities.ts';
import { addSigningKey, firstKey } from '../../../src/tokens/keyring.ts';
import { type Administering, act, registerResourceServer } from '../../administer.ts';
import { makeAuthority } from '../../authority.ts';
import { ConsoleScene, fieldsOf } from '../../doors/console/scene.ts';
import type { Visitor } from '../../doors/pages/visitor.ts';
import { anIdentity, anIntegration, aResourceServer, OPERATOR } from '../../samples.ts';
import { put } from '../../store/conformance/rows.ts';
import { administration } from './admin-samples.ts';

type Thing = Readonly<Record<string, unknown>>;
type Section = (typeof THING_KINDS)[number]['section'];

const root = makeAuthority();
const SET = JSON.stringify({
  keys: [{ ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' }), kid: 'k' }],
});

/** What must be there. */
const PLAIN: Readonly<Record<Section, () => Thing>> = {
  integrations: () => ({ name: 'thing', scope: 'orders:read' }),
  resourceServers: () => ({ name: 'thing', audience: 'https://a.example', resources: ['a'] }),
  issuers: () => ({ pem: root.pem, identitySources: ['common-name'] }),
  tokenIssuers: () => ({ issuer: 'https://p.example', rules: [{ when: { '/sub': 'a' }, identity: '{/sub}' }] }),
  identities: () => ({ userName: 'thing', groups: ['first'] }),
};

const RANGES = ['192.0.2.0/24'];
/** Values that no type tells. `undefined`: there is none, for this reason. */
const VALUES: Readonly<Record<string, unknown>> = {
  'integrations.scope': 'orders:read;stock:read',
  'integrations.access': { to: 'named', identities: [], groups: ['team'] },
  'integrations.flows.code': { redirectUris: ['https://a.example/back'] },
  'integrations.owners': ['team'],
  'integrations.secretAddresses': RANGES,
  'integrations.resourceServer': 'api',
  'integrations.exchange': [{ integration: 'other', scope: 'orders:read' }],
  'integrations.publicKeys': {
    from: 'url',
    url: 'https://a.example/keys',
    allowedAddresses: RANGES,
    authorities: root.pem,
  },
  'resourceServers.audience': 'https://b.example',
  'resourceServers.resources': ['a', 'b'],
  'resourceServers.identity': anIdentity().id,
  'issuers.pem': undefined, // its key never changes
  'issuers.identitySources': ['email-san'],
  'issuers.revocation.crl': 'off',
  'issuers.directories': ['corp'],
  'issuers.trustDomains': ['a.example'],
  'issuers.policies': ['1.2.3.4'],
  'issuers.integrations': ['orders'],
  'issuers.revocation.crlFiles': ['/ca.crl'],
  'issuers.revocation.allowedAddresses': RANGES,
  'tokenIssuers.issuer': undefined, // it never changes
  'tokenIssuers.keys': { from: 'file', set: SET },
  'tokenIssuers.allowedAddresses': RANGES,
  'tokenIssuers.authorities': root.pem,
  'tokenIssuers.rules': [{ when: { '/sub': 'b' }, identity: '{/sub}' }],
  'identities.userName': undefined, // by which it is found
  'identities.email': 'thing@a.example',
  'identities.upn': 'thing@b.example',
  'identities.groups': ['second'],
  'identities.mayShare': undefined, // of the change, not of the identity
  'identities.password': undefined, // shown nowhere
};

/** What the event of a change calls it, if not by its name. */
const SAID_AS: Readonly<Record<string, string>> = {
  'integrations.enabled': 'disabled',
  'integrations.publicKeys': 'key-added',
  'tokenIssuers.allowedAddresses': 'keys',
  'tokenIssuers.authorities': 'keys',
};

/** Another value than the usual one. */
function sampleOf(path: string, schema: Keywords): unknown {
  const usual = schema.default ?? schema['x-initial'];
  if (path in VALUES) return VALUES[path];
  if (schema.type === 'boolean') return usual !== true;
  if (schema.enum) return schema.enum.find((each) => each !== (usual ?? schema.enum?.[0]));
  if (schema.items?.enum) return [schema.items.enum.at(-1)];
  if (schema.type === 'integer') return 77;
  if (schema.type === 'string') return 'else';
  return assert.fail(`give ${path} a value`);
}

/** By path, what is sent of each member. */
function membersOf(section: Section, schema: Keywords, path: readonly string[] = []): [string[], unknown][] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]): [string[], unknown][] => {
    const own = [...path, name];
    if (member.readOnly) return [];
    if (member.properties) return membersOf(section, member, own);
    const value = sampleOf([section, ...own].join('.'), member);
    return value === undefined ? [] : [[own, value]];
  });
}

function bodyWith(plain: Thing, [name = '', part]: readonly string[], value: unknown): Thing {
  return { ...plain, [name]: part === undefined ? value : { [part]: value } };
}

function at(thing: unknown, path: readonly string[]): unknown {
  return path.reduce((value, name) => (value as Thing | undefined)?.[name], thing);
}

function detailOf({ detail }: LoggedEvent) {
  return detail;
}

async function installation(t: TestContext): Promise<Administering> {
  const admin = await administration(t);
  await publishKeys(addSigningKey(firstKey(), 'ES256').keys, admin);
  await put(admin.store, identities, anIdentity());
  await registerResourceServer('api', { audience: 'https://api.example', resources: ['orders'] }, admin);
  return admin;
}

for (const of of THING_KINDS) {
  const { section, kind, place } = of;
  const files = () => [{ path: '/ca.crl', contents: root.crl() }];

  suite(`a field of ${place} is lost nowhere`, () => {
    for (const [path, value] of membersOf(section, schemaOf(of)))
      test(path.join('.'), async (t) => {
        const admin = await installation(t);
        const does = async (verb: string, given: object = { query: {}, body: {} }, ports = admin) => {
          const done = await act((verb.includes('-') ? verb : `${kind}-${verb}`) as ActName, given, ports, files());
          assert.ok(done.ok, JSON.stringify(done));
          return done.value.value as never as Thing;
        };
        const stored = () => admin.store.page(REGISTERED[kind as 'issuer'], { limit: 9 });
        await does('put', { id: 'thing', body: PLAIN[section]() });
        const former = await stored();
        const [made] = await admin.store.newestEvents({ count: 1 });
        const shown = await does('put', { id: 'thing', body: bodyWith(PLAIN[section](), path, value) });
        const said = JSON.stringify((await admin.store.events({ after: made?.sequence ?? 0, limit: 9 })).map(detailOf));
        assert.ok(said.includes(`"${SAID_AS[[section, ...path].join('.')] ?? path[0]}"`), `the event: ${said}`);
        assert.deepEqual(at(shown, path), value, 'what is shown afterwards');
        assert.notDeepEqual(await stored(), former, 'the row');
        const { items } = (await does('list')) as { items: readonly Thing[] };
        assert.ok(items.map((each) => JSON.stringify(each)).includes(JSON.stringify(shown)), 'the list');
        const form = readObject(schemaOf(of), fieldsOf(`<h1>${fieldsFor(schemaOf(of), shown)}`));
        assert.deepEqual(at(form, path), value, 'the form of the console');

        if (section === 'identities' && path[0] !== 'groups') return; // files have their groups only
        const objects = await does('object-export');
        const isName = section === 'resourceServers' && path[0] === 'identity';
        assert.deepEqual(at(objects, [section, 'thing', ...path]), isName ? 'ada' : value, 'the export');
        const elsewhere = await installation(t);
        await does('put', { id: 'thing', body: PLAIN[section]() }, elsewhere);
        const planned = (await does('object-plan', { body: { objects } }, elsewhere)) as { items: { fields: Thing }[] };
        assert.ok(
          planned.items.some(({ fields }) => (path[0] ?? '') in fields),
          'the difference',
        );
        await does('object-apply', { body: { objects } }, elsewhere);
        assert.deepEqual(at(await does('show', { id: 'thing' }, elsewhere), path), value, 'what is applied');
      });
  });
}

/** Rows that a later release wrote, with a field that this one does not have. */
const LATER: Readonly<Record<Exclude<Section, 'identities'>, (id: string) => object>> = {
  integrations: (id) => anIntegration({ clientId: id as never }),
  resourceServers: (id) => aResourceServer({ id: id as never }),
  issuers: (label) => ({
    ...{ label, enabled: true, identitySources: ['common-name'], identities: 'directory', profile: 'rfc5280' },
    ...{ certificate: new X509Certificate(root.pem).raw, intermediates: [], revocation: { crlFiles: [] } },
  }),
  tokenIssuers: (label) => ({
    ...{ label, issuer: 'https://p.example', keys: { from: 'file', set: SET }, algorithms: ['ES256'], enabled: true },
    ...{ assertions: 'once', maxAssertionLifetime: 60, rules: [] },
  }),
};

suite('a field that is declared once, such as the made-up shoeSize,', () => {
  const MADE_UP = {
    ...{ type: 'string', default: '', description: 'Of its shoes.' },
    ...{ pattern: '^[0-9]*$', 'x-refusal': 'text-malformed' },
  };
  const declared = THING_KINDS.map((of) => schemaOf(of).properties as Record<string, Keywords>);
  let scene: ConsoleScene;
  let olga: Visitor;
  before(async () => {
    for (const properties of declared) properties['shoeSize'] = MADE_UP;
    scene = await ConsoleScene.open();
    olga = await scene.visitor('olga');
  });
  // Other tests of this process have the same schemas.
  after(() => {
    for (const properties of declared) delete properties['shoeSize'];
    return scene?.stop();
  });

  test('is refused if it is not as published, although no draft looks at it', async () => {
    const admin = { store: scene.store, by: OPERATOR };
    const putShod = (shoeSize: string) =>
      act('integration-put', { id: 'shod', body: { scope: 'shoes:read', shoeSize }, onlyIf: 'absent' }, admin);
    const refused = await putShod('wide');
    assert.deepEqual(!refused.ok && refused.refusal, {
      reason: 'object-malformed',
      about: 'shoeSize is not of type string, in the form that is accepted',
    });
    assert.ok((await putShod('42')).ok);
  });

  for (const of of THING_KINDS) {
    const { section, kind, place } = of;

    test(`is in the documents and the form of ${place}`, async () => {
      const { paths } = adminDocument({ publicUrl: 'https://tokens.example', version: '1' });
      const { put: asked, get: answered } = paths[`/admin/v1/${place}/{id}`] ?? {};
      for (const part of [asked?.requestBody, asked?.responses, answered?.responses])
        assert.match(JSON.stringify(part), /"shoeSize":\{"type":"string","default":"",/);
      const [, chapter = ''] = objectReference().split(`In files: \`${section}\``);
      assert.match(chapter.split('## ')[0] ?? '', /\n\| `shoeSize` \| text \| `""` \| Of its shoes\. \|\n/);
      const { text } = await olga.get(`/console/${place}/new`);
      assert.match(text, /<label for="shoeSize">Shoe size<\/label>\n<input id="shoeSize" name="shoeSize"/);
      assert.equal(readObject(schemaOf(of), { shoeSize: '42' })['shoeSize'], '42');
      if (section === 'identities') return; // files have their groups only
      const files = JSON.parse(JSON.stringify(OBJECTS_SCHEMA));
      assert.deepEqual(files.properties[section].additionalProperties.properties.shoeSize, MADE_UP);
    });

    if (section === 'identities') continue; // their row has a column per field
    test(`is in the export and on the page of ${place}`, async () => {
      await put(scene.store, REGISTERED[kind as 'issuer'], { ...LATER[section]('later'), shoeSize: '42' } as never);
      const page = await olga.get(`/console/${place}/later`);
      assert.match(page.text, /<dt>Shoe size<\/dt><dd>42<\/dd>/);
      const admin = { store: scene.store, by: OPERATOR };
      const exported = await act('object-export', {}, admin);
      const objects = (exported.ok ? exported.value.value : {}) as Record<string, Record<string, Thing>>;
      assert.equal(objects[section]?.['later']?.['shoeSize'], '42');
    });
  }
});
