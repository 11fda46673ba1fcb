// What a token allows at the admin door, and what owners of an integration may change.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Origin } from '../../src/core/grant.ts';
import type { Integration } from '../../src/core/integration.ts';
import {
  consolePermission,
  includes,
  isForAdministration,
  isOwner,
  isRecent,
  isWithinPowerOfOwner,
  limitOf,
  mayOwnerEnable,
  ownerPermission,
  type Permission,
  permissionOf,
} from '../../src/core/rules/operator.ts';
import { epochSeconds } from '../../src/core/time.ts';
import { ADA, anIntegration, NOW, scopeOf } from '../samples.ts';

const CERTIFICATE = { kind: 'certificate', certificate: {} } as unknown as Origin;
const MANAGE = scopeOf('tessera:read,operate,manage');

suite('a token allows the least of its scope, the groups of its holder and its proof', () => {
  const allows = (scope: string, groups: string[], origin: Origin = CERTIFICATE, isWithCertificate = true) =>
    permissionOf({ scope: scopeOf(scope), groups, origin, isWithCertificate });

  test('by scope: for administration alone', () => {
    for (const permission of ['read', 'operate', 'manage'] as const)
      assert.equal(allows(`tessera:${permission}`, ['operators']), permission);
    assert.equal(allows('tessera:read,manage', ['operators']), 'manage');
    assert.equal(allows('tessera', ['operators']), undefined);
    assert.equal(allows('orders:read', ['operators']), undefined);
    assert.equal(allows('tessera:manage;orders:read', ['operators']), undefined, 'it is in the hands of that API');
    assert.equal(isForAdministration(MANAGE), true);
    assert.equal(isForAdministration(scopeOf('orders:manage')), false);
  });

  test('by group', () => {
    assert.equal(allows('tessera:manage', ['staff', 'operators']), 'manage');
    assert.equal(allows('tessera:manage', ['viewers']), 'read');
    assert.equal(allows('tessera:manage', ['viewers', 'operators']), 'manage');
    assert.equal(allows('tessera:manage', ['staff']), undefined);
  });

  test('by proof: only a strong one changes anything', () => {
    const weak = [
      { kind: 'device' },
      { kind: 'code' },
      { kind: 'assertion' },
      { kind: 'client' },
      { kind: 'exchange' },
    ];
    for (const origin of weak as Origin[]) assert.equal(allows('tessera:manage', ['operators'], origin), 'read');
    assert.equal(allows('tessera:manage', ['operators'], { kind: 'code', proof: 'passkey' }), 'manage');
    assert.equal(allows('tessera:manage', ['operators'], CERTIFICATE, false), 'read');
    assert.equal(allows('tessera:manage', ['operators'], { kind: 'code', proof: 'passkey' }, false), 'manage');
  });

  test('an owner needs no group', () => {
    assert.equal(ownerPermission({ scope: MANAGE, origin: CERTIFICATE, isWithCertificate: true }), 'manage');
    assert.equal(ownerPermission({ scope: MANAGE, origin: { kind: 'device' }, isWithCertificate: true }), 'read');
  });

  test('what it lacks is named', () => {
    const lacks = (scope: string, groups: string[]) => limitOf({ scope: scopeOf(scope), groups }, 'operate');
    assert.equal(lacks('tessera:read', ['operators']), 'scope');
    assert.equal(lacks('tessera:operate', ['viewers']), 'group');
    assert.equal(lacks('tessera:operate', ['operators']), 'proof');
  });
});

test('a permission includes those below it', () => {
  assert.deepEqual(
    (['read', 'operate', 'manage'] as const).map((needed) => includes('operate', needed)),
    [true, true, false],
  );
  assert.equal(includes(undefined, 'read'), false);
});

test('a permission that does not exist is held by nobody, and includes nothing', () => {
  assert.equal(includes('manage', 'mange' as Permission), false);
  assert.equal(includes('mange' as Permission, 'read'), false);
});

test('in the console, a password alone only views', () => {
  assert.equal(consolePermission(['operators'], true), 'manage');
  assert.equal(consolePermission(['operators'], false), 'read');
  assert.equal(consolePermission(['viewers'], true), 'read');
  assert.equal(consolePermission([], true), undefined);
});

test('power over the service is for an hour, of a grant of twelve', () => {
  const at = (offset: number) => epochSeconds(NOW + offset);
  const recent = (difference: object = {}) =>
    isRecent({ ...{ now: NOW, issuedAt: NOW, expiresAt: at(3600), createdAt: at(-12 * 3600) }, ...difference });
  assert.equal(recent(), true);
  assert.equal(recent({ issuedAt: at(-3600) }), true);
  for (const difference of [{ issuedAt: at(-3601) }, { expiresAt: at(3601) }, { createdAt: at(-12 * 3600 - 1) }])
    assert.equal(recent(difference), false);
});

suite('an owner', () => {
  test('is a member of a group that owns the integration', () => {
    assert.equal(isOwner({ groups: ['a', 'b'] }, { owners: ['b'] }), true);
    assert.equal(isOwner({ groups: ['a'] }, { owners: ['b'] }), false);
    assert.equal(isOwner({ groups: ['a'] }, {}), false);
  });

  const named = (identities: string[], groups: string[]) =>
    ({ to: 'named', identities, groups }) as unknown as Integration['access'];
  const flows = { device: true, certificate: false };
  const CODE = { redirectUris: ['https://a.example/'] };
  /** From what to what. */
  const CHANGES: readonly (readonly [string, Partial<Integration>, Partial<Integration>, boolean])[] = [
    ['texts', {}, { name: 'x', description: 'y', vendor: 'z' }, true],
    ['disabled', {}, { enabled: false, disabledByOwner: true }, true],
    ['enabled after an owner disabled it', { enabled: false, disabledByOwner: true }, { enabled: true }, true],
    ['enabled after an operator disabled it', { enabled: false }, { enabled: true }, false],
    ['still enabled', { enabled: true }, { enabled: true }, true],
    ['a narrower scope', {}, { scope: scopeOf('orders:read') }, true],
    ['a wider scope', {}, { scope: scopeOf('orders:read,write,delete') }, false],
    ['a way less', { flows: { device: true, certificate: true } }, { flows }, true],
    ['another way', { flows }, { flows: { device: true, certificate: true } }, false],
    ['codes turned off', { flows: { ...flows, code: CODE } }, { flows: { ...flows, code: false } }, true],
    ['codes turned on', { flows }, { flows: { ...flows, code: CODE } }, false],
    ['codes turned on for documents', { flows }, { flows: { ...flows, code: { redirectUris: [] } } }, false],
    ['codes turned on again', { flows: { ...flows, code: false } }, { flows: { ...flows, code: CODE } }, false],
    ['the same codes', { flows: { ...flows, code: CODE } }, { flows: { ...flows, code: CODE } }, true],
    [
      'another redirect URI',
      { flows: { ...flows, code: CODE } },
      { flows: { ...flows, code: { redirectUris: ['https://b.example/'] } } },
      false,
    ],
    ['fewer people', {}, { access: named([ADA], []) }, true],
    ['fewer groups', { access: named([], ['a', 'b']) }, { access: named([], ['a']) }, true],
    ['everybody', { access: named([ADA], []) }, { access: { to: 'everyone' } }, false],
    ['another person', { access: named([], []) }, { access: named([ADA], []) }, false],
    ['another group', { access: named([ADA], ['a']) }, { access: named([ADA], ['b']) }, false],
    ['other owners', { owners: ['a'] }, { owners: ['b'] }, false],
    ['another binding', { binding: 'certificate' } as never, { binding: 'none' }, false],
    ['another format', {}, { accessTokenFormat: 'jwt' }, false],
    ['lifetimes', {}, { overrides: { accessTokenLifetime: 1 } } as never, false],
    ['who may exchange', {}, { exchange: [] }, false],
  ];
  for (const [what, before, after, isAllowed] of CHANGES)
    test(`${isAllowed ? 'may' : 'may not'} change to: ${what}`, () => {
      const row = anIntegration(before);
      assert.equal(isWithinPowerOfOwner(row, { ...row, ...after }), isAllowed);
    });

  test('may enable what an owner disabled', () => {
    assert.equal(mayOwnerEnable(anIntegration()), true);
    assert.equal(mayOwnerEnable(anIntegration({ enabled: false })), false);
    assert.equal(mayOwnerEnable(anIntegration({ enabled: false, disabledByOwner: true })), true);
  });
});
