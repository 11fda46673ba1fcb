// A field that the published schema has is lost nowhere. The fields come from the schema, their values from here or from their
// types: a new field is tried without a change here, or fails for want of a value.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { suite, type TestContext, test } from 'node:test';
import { fieldsFor, readObject } from '../../../src/doors/pages/console/form.ts';
import { type Keywords, schemaOf, THING_KINDS } from '../../../src/doors/pages/console/things.ts';
import type { ActName } from '../../../src/operations/admin/acts.ts';
import { publishKeys } from '../../../src/operations/admin/signing-keys.ts';
import { REGISTERED } from '../../../src/store/all-tables.ts';
import { identities } from '../../../src/store/tables/identities.ts';
import { addSigningKey, firstKey } from '../../../src/tokens/keyring.ts';
import { type Administering, act, registerResourceServer } from '../../administer.ts';
import { makeAuthority } from '../../authority.ts';
import { fieldsOf } from '../../doors/console/scene.ts';
import { anIdentity } from '../../samples.ts';
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
        const shown = await does('put', { id: 'thing', body: bodyWith(PLAIN[section](), path, value) });
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
