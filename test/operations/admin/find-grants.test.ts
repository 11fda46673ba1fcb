// Which grants operators find, how far the table is read for them, and what is shown of each.
import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import type { Grant, GrantId } from '../../../src/core/grant.ts';
import type { IdentityId } from '../../../src/core/identity.ts';
import { presenter } from '../../../src/core/presenter.ts';
import { type EpochSeconds, seconds } from '../../../src/core/time.ts';
import {
  disabledIdentities,
  findGrantId,
  findGrants,
  grantsBeginning,
  pageOfGrants,
  shownGrant,
  shownGrants,
} from '../../../src/operations/admin/find-grants.ts';
import type { GrantFilter } from '../../../src/operations/admin/grant-filter.ts';
import { certificateMark, readCertificate } from '../../../src/pki/x509/certificate.ts';
import { insert } from '../../../src/store/store.ts';
import { attempts } from '../../../src/store/tables/attempts.ts';
import { grants } from '../../../src/store/tables/grants.ts';
import { identities } from '../../../src/store/tables/identities.ts';
import { integrations } from '../../../src/store/tables/integrations.ts';
import { issuers } from '../../../src/store/tables/issuers.ts';
import { makeAuthority } from '../../authority.ts';
import { BOB, ISSUER } from '../../node.ts';
import { ADA, aGrant, anIdentity, anIntegration, CLIENT, hexOf, NOW } from '../../samples.ts';
import { later, put } from '../../store/conformance/rows.ts';
import { administration } from './admin-samples.ts';

/** Ids begin with the time in milliseconds, in 12 hex digits. */
function madeAt(moment: EpochSeconds, n: number, difference: Partial<Grant> = {}): Grant {
  const id = (moment * 1000).toString(16).padStart(12, '0') + (n + 1).toString(16).padStart(20, '0');
  return aGrant({ id: id as GrantId, createdAt: moment, ...difference });
}

/** Grants of Ada and Bob, whose places in `all` are found, and those whose rows were read for it. */
async function withGrants(t: TestContext, all: readonly Grant[]) {
  const admin = await administration(t);
  await put(admin.store, identities, anIdentity());
  await put(admin.store, identities, anIdentity({ id: BOB, userName: 'bob', enabled: false }));
  await put(admin.store, integrations, anIntegration());
  const inserts = all.map((grant) => insert(grants, grant));
  await admin.store.change(attempts, 'none', () => ({ outcome: undefined, inserts }));
  const read: number[] = [];
  const placeOf = ({ id }: { readonly id: string }) => all.findIndex((grant) => grant.id === id);
  const page = (async (table, query) => {
    const rows = await admin.store.page(table, query);
    if (table === (grants as unknown)) read.push(...rows.map((row) => placeOf(row as Grant)));
    return rows;
  }) as typeof admin.store.page;
  const ports = { ...admin, store: { ...admin.store, page } };
  const found = async (filter: GrantFilter, limit = 10, more: { isOwner?: true; after?: string } = {}) => {
    read.length = 0;
    const { after, ...asWho } = more;
    const outcome = await pageOfGrants(filter, { limit, after }, { ...ports, ...asWho });
    if (!outcome.ok) return outcome.refusal;
    const { grants: items, next } = outcome.value;
    return [items.map(placeOf), ...(next === undefined ? [] : [placeOf({ id: next })])];
  };
  return { ports, found, read };
}

suite('the grants that operators find', () => {
  test('are selected by time and address, in either order', async (t) => {
    const address = '192.0.2.99';
    const { pair } = aGrant();
    const all = [400, 300, 200, 100, 0].map((ago, n) =>
      madeAt(later(NOW, -ago), n, n === 2 ? { pair: { ...pair, presenter: presenter(address, '') } } : {}),
    );
    const { found, read } = await withGrants(t, all);
    const cases: [filter: object, expected: number[], read?: number[]][] = [
      [{ since: 200 }, [2, 3, 4], [2, 3, 4]],
      [{ since: 140 }, [3, 4], [2, 3, 4]],
      [{ since: 139 }, [3, 4], [3, 4]],
      [{ until: 300 }, [0, 1]],
      [{ until: 301 }, [0]],
      [{ since: 300, until: 100 }, [1, 2, 3], [1, 2, 3, 4]],
      [{ newest: true }, [4, 3, 2, 1, 0]],
      [{ newest: true, since: 200 }, [4, 3, 2]],
      [{ newest: true, until: 300 }, [1, 0]],
      [{ address }, [2]],
      [{ since: 3_000_000_000 }, [0, 1, 2, 3, 4]],
    ];
    for (const [filter, expected, rows] of cases) {
      assert.deepEqual(await found(filter), [expected], JSON.stringify(filter));
      if (rows) assert.deepEqual(read, rows, JSON.stringify(filter));
    }
    assert.deepEqual(await found({}, 4), [[0, 1, 2, 3], 3]);
    assert.deepEqual(await found({}, 5), [[0, 1, 2, 3, 4]]);
    assert.deepEqual(await found({}, 5, { after: all[3]?.id ?? '' }), [[4]]);
  });

  test('are found by when they were made, also if their authorization code is a minute older', async (t) => {
    const { found } = await withGrants(t, [madeAt(later(NOW, -90), 0, { createdAt: later(NOW, -30) })]);
    const ago = seconds(30);
    for (const filter of [{ since: ago }, { newest: true, since: ago }, { until: ago }])
      assert.deepEqual(await found(filter as GrantFilter), [[0]], JSON.stringify(filter));
    assert.deepEqual(await found({ since: seconds(29) }), [[]]);
  });

  test('are unused if nothing refreshed them before their access token expired', async (t) => {
    const { pair } = aGrant();
    const of = (generation: number, expiresAt: number, more = {}) => ({
      pair: { ...pair, generation, expiresAt: later(NOW, expiresAt) },
      ...more,
    });
    const all = [of(0, 0), of(0, 1), of(1, 0), of(0, 0, { refreshable: false })];
    const { found, ports } = await withGrants(
      t,
      all.map((each, n) => madeAt(NOW, n, each)),
    );
    assert.deepEqual(await found({ unused: true }), [[0]]);
    assert.deepEqual(await found({ unused: false }), [[1, 2, 3]]);
    const page = await pageOfGrants({}, { limit: 10 }, ports);
    assert.ok(page.ok);
    const shown = await shownGrants(page.value, ports);
    assert.deepEqual(
      shown.map(({ unused }) => unused),
      [true, undefined, undefined, undefined],
    );
  });

  test('are read by the index that the fewest have, and by owners as if there were no others', async (t) => {
    const [certificate, key] = [hexOf(16, 9), hexOf(32, 9)];
    const origin = { kind: 'certificate', certificate: { certificate, key, issuerKey: hexOf(16) } } as const;
    const other = 'other' as typeof CLIENT;
    const { found, read, ports } = await withGrants(t, [
      madeAt(NOW, 0),
      madeAt(NOW, 1, { clientId: other }),
      madeAt(NOW, 2, { identityId: BOB }),
      madeAt(NOW, 3, { origin }),
      madeAt(NOW, 4, { identityId: BOB, clientId: other }),
    ]);
    await put(ports.store, integrations, anIntegration({ clientId: other }));
    const cases: [filter: GrantFilter, expected: number[], read: number[]][] = [
      [{}, [0, 1, 2, 3, 4], [0, 1, 2, 3, 4]],
      [{ integration: CLIENT }, [0, 2, 3], [0, 2, 3]],
      [{ integration: CLIENT, identity: 'bob' }, [2], [2, 4]],
      [{ integration: CLIENT, identity: 'ada', certificate }, [3], [3]],
      [{ identity: 'bob', certificate }, [], [3]],
      [{ certificate: key }, [3], [0, 1, 2, 3, 4]],
      [{ certificate: hexOf(32, 8) }, [], [0, 1, 2, 3, 4]],
    ];
    for (const [filter, expected, rows] of cases) {
      assert.deepEqual(await found(filter), [expected], JSON.stringify(filter));
      assert.deepEqual(read, rows, JSON.stringify(filter));
    }
    assert.deepEqual(await found({ integration: CLIENT, identity: 'bob' }, 10, { isOwner: true }), [[2]]);
    assert.deepEqual(read, [0, 2, 3]);
  });

  test('are read a thousand rows at a time, as far as needed', async (t) => {
    const all = Array.from({ length: 2100 }, (_, n) => madeAt(later(NOW, n - 2100), n));
    const { ports, found } = await withGrants(t, all);
    const idOf = (n: number) => all[n]?.id ?? '';
    const address = 'of nobody';
    assert.deepEqual(await found({ address }), [[], 999]);
    assert.deepEqual(await found({ address }, 10, { after: idOf(999) }), [[], 1999]);
    assert.deepEqual(await found({ address }, 10, { after: idOf(1999) }), [[]]);
    assert.deepEqual(
      await found({ address, until: 1161 as never }),
      [[], 999],
      'made in the last second that counts, and a minute',
    );
    assert.deepEqual(await found({ address, until: 1162 as never }), [[]]);
    assert.deepEqual(await found({ address, newest: true, since: 940 as never }), [[], 1100]);
    assert.deepEqual(await found({ address, newest: true, since: 939 as never }), [[]]);
    const guest = 'https://agent.example/client.json';
    assert.deepEqual(await found({ guest }), [[], 999], 'it may be further down');
    assert.deepEqual(await found({ guest }, 10, { after: idOf(1999) }), [[]]);
    const lengthOf = async (limit: number) => {
      const outcome = await findGrants({}, limit, ports);
      return outcome.ok && outcome.value.grants.length;
    };
    assert.deepEqual([await lengthOf(1000), await lengthOf(1001), await lengthOf(10_000)], [1000, 1001, 2100]);
  });

  test('have a certificate with this serial number, of any authority that is approved', async (t) => {
    const [root, other] = [makeAuthority(), makeAuthority()];
    const below = root.makeIntermediate();
    const ofSerial = (by: { certificate: Uint8Array }, serial: string, n: number) => {
      const read = readCertificate(by.certificate);
      assert.ok(read.ok);
      const certificate = certificateMark(read.value, Buffer.from(serial, 'hex'));
      const mark = { certificate, key: hexOf(32, n), issuerKey: hexOf(16) };
      return madeAt(NOW, n, { origin: { kind: 'certificate', certificate: mark } });
    };
    const long = '7f'.repeat(16);
    const { found, ports } = await withGrants(t, [
      ofSerial(root, '7f', 0),
      ofSerial(root, '0080', 1),
      ofSerial(below, '017f', 2),
      ofSerial(other, '05', 3),
      ofSerial(root, long, 4),
    ]);
    await put(ports.store, issuers, { ...ISSUER, label: 'a', certificate: new Uint8Array(1) });
    await put(ports.store, issuers, {
      ...{ ...ISSUER, label: 'b' },
      ...{ certificate: root.certificate, intermediates: [below.certificate] },
    });
    const texts = ['7f', '7F', '00:7f', '0007f', '80', '00:80', '17f', '01:7F', long];
    const expected = [0, 0, 0, 0, 1, 1, 2, 2, 4];
    for (const [n, certificate] of texts.entries())
      assert.deepEqual(await found({ certificate }), [[expected[n]]], certificate);
    for (const certificate of ['05', '06', '0', 'serial', `1${'0'.repeat(40)}`, hexOf(16, 1)])
      assert.deepEqual(await found({ certificate }), { reason: 'certificate-unknown', about: certificate });
  });

  test('are named by their first digits, four or more, if no other id begins with them', async (t) => {
    const ids = ['0000', '0001', 'abcd', 'abce1', 'abce2'].map((digits) => digits.padEnd(32, '0') as GrantId);
    const { ports } = await withGrants(
      t,
      ids.map((id) => aGrant({ id })),
    );
    const named = async (text: string) => {
      const outcome = await findGrantId(text, ports);
      return outcome.ok ? ids.indexOf(outcome.value) : outcome.refusal.reason;
    };
    const texts = ['0000', '0001', 'abcd', 'abce1', ids[3] ?? '', 'abc', 'abce', 'abcf', 'ABCD', `${ids[2]}0`];
    const [none, several] = ['grant-unknown', 'grant-ambiguous'];
    assert.deepEqual(await Promise.all(texts.map(named)), [0, 1, 2, 3, 3, none, several, none, none, none]);
    const beginning = async (digits: string, limit: number) =>
      (await grantsBeginning(digits, limit, ports.store)).length;
    assert.deepEqual([await beginning('abc', 9), await beginning('abc', 2), await beginning('0', 9)], [3, 2, 2]);
  });
});

suite('what operators see of a grant', () => {
  const SHOWN = {
    id: '018f00000000000000000000000000aa',
    state: 'live',
    clientId: CLIENT,
    identityId: ADA,
    scope: 'orders:read',
    origin: 'device',
    createdAt: '2027-01-15T08:00:00Z',
    refreshUntil: '2027-01-15T08:16:40Z',
    refreshable: true,
    generation: 3,
    keyId: 1,
    lastIssuedAt: '2027-01-15T08:00:00Z',
    accessTokenExpiresAt: '2027-01-15T08:01:40Z',
    lastAddress: '192.0.2.7',
    lastAgent: 'curl/8',
  };
  const guest = 'https://agent.example/client.json' as never;
  const parent = { grantId: hexOf(16, 1) as string as GrantId, generation: 0 };
  const mark = { certificate: hexOf(16, 2), key: hexOf(32, 2), issuerKey: hexOf(16) };
  const assertion = { tokenIssuer: 'ci', subject: hexOf(16) };
  const cases: [difference: Partial<Grant>, more: object][] = [
    [{}, {}],
    [
      { resource: ['https://a.example', 'https://b.example'] as never },
      { resource: 'https://a.example https://b.example' },
    ],
    [{ origin: { kind: 'code' } }, { origin: 'code' }],
    [{ origin: { kind: 'code', guest } }, { origin: 'code', guest }],
    [{ origin: { kind: 'code', proof: 'passkey' } }, { origin: 'code', proof: 'passkey' }],
    [{ origin: { kind: 'client', proof: 'key' } }, { origin: 'client', proof: 'key' }],
    [{ origin: { kind: 'assertion', assertion } }, { origin: 'assertion', tokenIssuer: 'ci' }],
    [
      { origin: { kind: 'certificate', certificate: mark } },
      { origin: 'certificate', certificate: mark.certificate, certificateKey: mark.key },
    ],
    [{ terms: { parent } }, { parent: parent.grantId }],
    [{ terms: { actor: { identityId: ADA, clientId: CLIENT } } }, { exchangedBy: CLIENT }],
    [{ terms: { jkt: 'a key' } }, { boundToKey: 'a key' }],
    [
      { revoked: { at: NOW, reason: 'reuse' } },
      { state: 'revoked', revokedAt: '2027-01-15T08:00:00Z', revokedFor: 'reuse' },
    ],
  ];
  for (const [difference, more] of cases)
    test(`says ${Object.keys(more).join(', ') || 'nothing that is not so'}`, () => {
      assert.deepEqual(shownGrant(aGrant(difference), NOW, undefined), { ...SHOWN, ...more });
    });

  test('names its holder, if the row has a name', async (t) => {
    const nameless = 'corp:1' as IdentityId;
    const { ports } = await withGrants(t, []);
    const { userName: _, ...row } = anIdentity({ id: nameless });
    await put(ports.store, identities, row);
    const ids = [ADA, nameless, 'corp:2' as IdentityId];
    const found = ids.map((identityId) => aGrant({ identityId }));
    const shown = await shownGrants({ grants: found, now: NOW }, ports);
    assert.deepEqual(
      shown.map((one) => one.userName),
      ['ada', undefined, undefined],
    );
    assert.deepEqual(await disabledIdentities([ADA, BOB, BOB, ''], ports), new Set([BOB]));
  });
});
