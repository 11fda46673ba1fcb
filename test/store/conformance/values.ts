import fc from 'fast-check';
import type { ClientUrl } from '../../../src/core/client-document.ts';
import type { Decision, DeviceAuthorization, DeviceId } from '../../../src/core/device.ts';
import { type Grant, type GrantId, type Origin, REVOCATION_REASONS } from '../../../src/core/grant.ts';
import type { Hex } from '../../../src/core/hex.ts';
import type { Identity, IdentityId } from '../../../src/core/identity.ts';
import type { ClientId, Integration } from '../../../src/core/integration.ts';
import type { ApprovedIssuer } from '../../../src/core/issuer.ts';
import { presenter } from '../../../src/core/presenter.ts';
import type { Audience, ResourceServer, ResourceServerId } from '../../../src/core/resource-server.ts';
import type { SharedKeySet, SharedList } from '../../../src/core/shared-download.ts';
import { epochSeconds, seconds } from '../../../src/core/time.ts';
import type { Store } from '../../../src/store/store.ts';
import type { Table } from '../../../src/store/table.ts';
import { assertions, attempts } from '../../../src/store/tables/attempts.ts';
import { devices } from '../../../src/store/tables/devices.ts';
import { grants } from '../../../src/store/tables/grants.ts';
import { identities, passkeys, passwords } from '../../../src/store/tables/identities.ts';
import { integrations } from '../../../src/store/tables/integrations.ts';
import { issuers } from '../../../src/store/tables/issuers.ts';
import { resourceServers } from '../../../src/store/tables/resource-servers.ts';
import { keySets, listContents, revocationLists } from '../../../src/store/tables/revocation-lists.ts';
import { sessions } from '../../../src/store/tables/sessions.ts';
import { keyMarks } from '../../../src/store/tables/signing-keys.ts';
import { tokenIssuers } from '../../../src/store/tables/token-issuers.ts';
import { anyCharacter } from '../../any-character.ts';
import { aTokenIssuer } from '../../platform.ts';
import { ADA, aDevice, aGrant, anIdentity, anIntegration, aPasskey, scopeOf } from '../../samples.ts';
import type { Claim } from '../conformance.ts';
import { assertSameRow, counter, put } from './rows.ts';

const ROWS = 40;

// Text columns hold any text but NUL, which PostgreSQL has no room for; JSON escapes it, so it may stand there.
const anyText = fc.string({ unit: anyCharacter, maxLength: 60 });
const text = anyText.map((value) => value.replaceAll('\0', '␀'));
const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const hex = (length: number) => bytes(length).map((value) => Buffer.from(value).toString('hex') as Hex);
const moment = fc.integer({ min: 0, max: 2 ** 32 }).map(epochSeconds);
const count = fc.nat(2 ** 31 - 1);
const clientId = fc
  .string({
    unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
    minLength: 1,
    maxLength: 128,
  })
  .map((value) => value as ClientId);
const presenters = fc
  .tuple(fc.oneof(anyText, fc.constantFrom('', ' ', 'a b', '192.0.2.7, 10.0.0.1')), anyText)
  .map(([address, agent]) => presenter(address, agent));
const optional = <T>(name: string, value: fc.Arbitrary<T>) =>
  fc.option(value, { nil: undefined }).map((given) => (given === undefined ? {} : { [name]: given }));

const identity: fc.Arbitrary<Identity> = fc
  .tuple(
    hex(16),
    fc.boolean(),
    fc.boolean(),
    fc.array(anyText, { maxLength: 4 }),
    optional('userName', text),
    optional('email', text),
    optional('upn', text),
  )
  .map(([id, enabled, mayUseApi, groups, ...names]) => ({
    id: `AD+corp:${id}` as IdentityId,
    enabled,
    mayUseApi,
    groups,
    ...Object.assign({}, ...names),
  }));

const origin: fc.Arbitrary<Origin> = fc.oneof(
  fc.constant<Origin>({ kind: 'device' }),
  fc.constantFrom<Origin>({ kind: 'code' }, { kind: 'code', proof: 'passkey' }),
  fc.constantFrom<Origin>(
    { kind: 'code', guest: 'https://agent.example/client.json' as ClientUrl },
    { kind: 'code', guest: 'https://agent.example/client.json' as ClientUrl, withKey: true },
  ),
  fc.tuple(hex(16), hex(16), hex(32)).map(
    ([certificate, issuerKey, key]): Origin => ({
      kind: 'certificate',
      certificate: { certificate, issuerKey, key },
    }),
  ),
  fc
    .tuple(fc.constantFrom('ci', 'A_b.c+d-e'), hex(16))
    .map(([tokenIssuer, subject]): Origin => ({ kind: 'assertion', assertion: { tokenIssuer, subject } })),
);

const revoked = fc.tuple(moment, fc.constantFrom(...REVOCATION_REASONS)).map(([at, reason]) => ({ at, reason }));

const audience = fc.constantFrom('urn:a', 'https://b.example/c?d=e', 'api://f').map((uri) => uri as Audience);
const resource = fc.uniqueArray(audience, { minLength: 1 });

const resourceServer: fc.Arbitrary<ResourceServer> = fc
  .record({
    id: clientId.map((id) => id as string as ResourceServerId),
    audience,
    name: anyText,
    resources: fc.array(anyText, { maxLength: 3 }),
    enabled: fc.boolean(),
    secrets: fc.array(fc.record({ hash: hex(32), createdAt: moment }), { maxLength: 2 }),
  })
  .chain((row) => optional('identity', fc.constant(ADA)).map((more) => ({ ...row, ...more })));

const grant: fc.Arbitrary<Grant> = fc
  .record({
    id: hex(16).map((id) => id as string as GrantId),
    clientId,
    scope: text,
    origin,
    createdAt: moment,
    refreshUntil: moment,
    accessHash: hex(32),
    refreshable: fc.boolean(),
  })
  .chain((fixed) =>
    fc
      .record({
        generation: fc.nat(2 ** 32 - 1),
        keyId: fc.integer({ min: 1, max: 255 }),
        refreshHash: hex(32),
        nonce: hex(16),
        issuedAt: moment,
        expiresAt: moment,
        presenter: presenters,
      })
      .chain((pair) =>
        fc
          .tuple(optional('revoked', revoked), optional('resource', resource))
          .map((more) => ({ ...aGrant(), ...fixed, pair, ...Object.assign({}, ...more) })),
      ),
  );

const decision: fc.Arbitrary<Decision> = fc.oneof(
  fc.constant<Decision>({ is: 'open' }),
  fc
    .tuple(fc.constantFrom('confirmed', 'denied', 'redeemed'), moment)
    .map(([is, at]) => ({ is, by: ADA, at }) as Decision),
  moment.map((at): Decision => ({ is: 'confirmed', by: ADA, at, proof: 'passkey' })),
  fc.tuple(fc.constantFrom('spent', 'ended'), moment).map(([is, at]): Decision => ({ is, at })),
);

const device: fc.Arbitrary<DeviceAuthorization> = fc
  .record({
    id: hex(16).map((id) => id as string as DeviceId),
    clientId,
    scope: text,
    userCodeHash: hex(16),
    deviceCodeHash: hex(32),
    createdAt: moment,
    expiresAt: moment,
    interval: count.map(seconds),
    failedSignIns: count,
    presenter: presenters,
    decision,
  })
  .chain((row) =>
    fc
      .tuple(optional('lastPolledAt', moment), optional('enteredBy', text), optional('resource', resource))
      .map((more) => ({ ...aDevice(), ...row, ...Object.assign({}, ...more) })),
  );

const integration: fc.Arbitrary<Integration> = fc
  .record({
    clientId,
    name: anyText,
    description: anyText,
    vendor: anyText,
    enabled: fc.boolean(),
    scope: fc.constantFrom('a', 'Orders:read;b', 'x:y,z;').map(scopeOf),
  })
  .map((row) => anIntegration(row));

const issuer: fc.Arbitrary<ApprovedIssuer> = fc
  .record({
    label: text,
    certificate: fc.uint8Array({ maxLength: 300 }),
    intermediates: fc.array(fc.uint8Array({ maxLength: 90 }), { maxLength: 2 }),
    crlFiles: fc.array(anyText, { maxLength: 2 }),
    enabled: fc.boolean(),
  })
  .map(({ crlFiles, ...row }) => ({
    ...row,
    identitySources: ['upn-san', 'common-name'],
    identities: 'derived',
    profile: 'strict',
    revocation: { crl: 'required', ocsp: 'off', crlFiles, endGrants: true },
  }));

const session = fc
  .record({ id: hex(32), identityId: fc.constant(ADA), createdAt: moment, seenAt: moment, endsAt: moment })
  .chain((row) => fc.constantFrom('password', 'passkey').map((by) => ({ ...row, proof: { by, at: row.createdAt } })));

const sharedList: fc.Arbitrary<SharedList> = fc
  .record({ url: text, askedAt: moment, checkedAt: moment, renewAt: moment })
  .chain((row) =>
    fc
      .tuple(optional('failure', text), optional('mark', hex(32)))
      .map((more) => ({ ...row, ...Object.assign({}, ...more) })),
  );

const sharedKeySet: fc.Arbitrary<SharedKeySet> = fc
  .record({ name: text, checkedAt: moment })
  .chain((row) =>
    fc
      .tuple(optional('failure', text), optional('fetched', fc.record({ at: moment, text })))
      .map((more) => ({ ...row, ...Object.assign({}, ...more) })),
  );

export function values(claim: Claim): void {
  const survives = <Row, Companion>(table: Table<Row, Companion>, rows: fc.Arbitrary<Row>) =>
    claim(`a row of ${table.name} is read as it was written, when new and when changed`, async ({ store }) => {
      await put(store, identities, anIdentity());
      const [all = []] = fc.sample(
        fc.uniqueArray(rows, { selector: table.keyOf, minLength: 1, maxLength: ROWS, size: 'max' }),
        1,
      );
      await Promise.all(all.map((row) => writeAndRead(store, table, row)));
    });
  survives(identities, identity);
  survives(grants, grant);
  survives(devices, device);
  survives(integrations, integration);
  survives(issuers, issuer);
  survives(resourceServers, resourceServer);
  survives(
    tokenIssuers,
    fc.tuple(text, anyText, fc.boolean()).map(([label, issuer, enabled]) => aTokenIssuer({ label, issuer, enabled })),
  );
  survives(keySets, sharedKeySet);
  survives(assertions, fc.record({ mark: hex(32), endsAt: moment }));
  survives(sessions, session);
  survives(
    passwords,
    text.map((phc) => ({ identityId: ADA, phc })),
  );
  survives(
    passkeys,
    fc
      .array(fc.tuple(hex(16), text, count, anyText))
      .map((all) => all.map(([id, credentialId, counter, name]) => aPasskey(id, { credentialId, counter, name })))
      .map((keys) => ({ identityId: ADA, keys })),
  );
  survives(
    attempts,
    fc.tuple(text, count, moment).map(([about, number, endsAt]) => counter(about, number, endsAt)),
  );
  survives(revocationLists, sharedList);
  survives(
    listContents,
    fc.record({ url: text, fetchedAt: moment, contents: fc.uint8Array({ minLength: 1, maxLength: 3000 }) }),
  );
  survives(keyMarks, fc.record({ id: fc.integer({ min: 1, max: 255 }), fingerprint: hex(8), retired: fc.boolean() }));

  claim('a change writes the mutable columns and leaves the fixed ones', async ({ store }) => {
    await put(store, identities, anIdentity());
    const first = fc.sample(grant, 1)[0] ?? aGrant();
    const [other = aGrant()] = fc.sample(grant, 1);
    await put(store, grants, { ...first, identityId: ADA });
    const { revoked: _, ...unrevoked } = first;
    const next = { ...unrevoked, identityId: ADA, pair: other.pair };
    await put(store, grants, next);
    assertSameRow((await store.load(grants, first.id)).found?.row, next);
  });

  claim('long and unusual text is stored unchanged', async ({ store }) => {
    const odd = [
      '\u0001\u001f\u007f',
      '"\'`\\;--/*%_?$1:a@b{}',
      '\r\n\t',
      'ü é ß ﬀ 漢 😀 e\u0301',
      '\u202e\u200b\ufeff',
      '\uffff',
    ];
    const long = 'long '.repeat(200_000);
    for (const [n, value] of [...odd, long].entries()) {
      const row = anIntegration({ clientId: `odd-${n}` as ClientId, description: value });
      await put(store, integrations, row);
      assertSameRow((await store.load(integrations, row.clientId)).found?.row, row);
    }
    const unpaired = anIntegration({ description: 'a\0b \ud800 \udfff' });
    await put(store, integrations, unpaired);
    assertSameRow(
      (await store.load(integrations, unpaired.clientId)).found?.row,
      unpaired,
      'NUL and lone surrogates in JSON',
    );
  });
}

async function writeAndRead<Row, Companion>(store: Store, table: Table<Row, Companion>, row: Row): Promise<void> {
  for (const _ of ['new', 'changed']) {
    await put(store, table, row);
    assertSameRow((await store.load(table, table.keyOf(row))).found?.row, row);
  }
}
