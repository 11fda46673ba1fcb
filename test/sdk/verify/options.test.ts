// The options of a verifier: mistakes are found when the API starts, by name.

import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { settingsOf } from '../../../sdk/verify/src/options.ts';
import { type VerifierOptions, verifier } from '../../../sdk/verify/src/verify.ts';
import { FakeService } from './fake-service.ts';

const GOOD = {
  issuer: 'https://tokens.example.com',
  resourceServer: { id: 'orders-api', secret: 'tsc_secret', audience: 'https://orders.example' },
};
const withServer = (difference: object) => ({ resourceServer: { ...GOOD.resourceServer, ...difference } });

const WRONG: readonly (readonly [named: RegExp, difference: object])[] = [
  [/^issuer must be/, { issuer: undefined }],
  [/^issuer must be/, { issuer: 'tokens.example.com' }],
  [/^issuer must be/, { issuer: 'http://tokens.example.com' }],
  [/^resourceServer.id is missing/, { resourceServer: undefined }],
  [/^resourceServer.secret is missing/, withServer({ secret: undefined })],
  [/^resourceServer.secret contains white space/, withServer({ secret: 'tsc_secret\n' })],
  [/^resourceServer.audience is missing/, withServer({ audience: '' })],
  [/^onOutage must be 'refuse' or/, { onOutage: 'trust' }],
  [/^maxStale must be/, { maxStale: Number.NaN }],
  [/^maxStale must be/, { maxStale: '30' }],
  [/^maxStale must be/, { maxStale: -1 }],
  [/^cacheFor must be/, { cacheFor: Infinity }],
  [/^cacheSize must be/, { cacheSize: Number.NaN }],
  [/^clockTolerance must be/, { clockTolerance: Number.NaN }],
  [/^checkBinding must be/, { checkBinding: 'false' }],
  [/^cacheSize must be/, { cacheSize: -1 }],
  [/^cacheSize must be/, { cacheSize: 0.5 }],
  [/^origin must be/, { origin: 'https://orders.example/' }],
  [/^origin must be/, { origin: 'orders' }],
  [/^issuer must be/, { issuer: 'http://127.0.0.1.example.com' }],
  [/^ca must be the text/, { ca: '/etc/ssl/ca.pem' }],
  [/^now must be/, { now: 7 }],
  [/^onNotice must be/, { onNotice: 'console.log' }],
];

for (const [named, difference] of WRONG)
  test(`${JSON.stringify(difference)} is refused`, async () => {
    const options = { ...GOOD, ...difference } as VerifierOptions;
    await assert.rejects(verifier(options), { name: 'TypeError', message: named });
  });

test('no options at all are refused by name', async () => {
  await assert.rejects(verifier(undefined as unknown as VerifierOptions), { name: 'TypeError', message: /^issuer/ });
});

test('an option that is undefined has its default', () => {
  const {
    now,
    onNotice: _notify,
    ticks: _ticks,
    ...settings
  } = settingsOf({ ...GOOD, issuer: `${GOOD.issuer}/`, maxStale: undefined });
  assert.deepEqual(settings, {
    ...GOOD,
    ...{ origin: 'https://orders.example', onOutage: 'refuse', whenStale: 'introspect', checkBinding: true },
    ...{ maxStale: 30, cacheFor: 60, cacheSize: 10_000, clockTolerance: 5 },
  });
  assert.equal(now, Date.now);
  const audience = 'http://orders.example';
  assert.equal(settingsOf({ ...GOOD, resourceServer: { ...GOOD.resourceServer, audience } }).origin, undefined);
});

test('the least of a number is none, and the service may be on this machine', () => {
  for (const least of [
    { maxStale: 0, cacheFor: 0, cacheSize: 0, clockTolerance: 0 },
    ...['http://localhost:1', 'http://127.9.9.9', 'http://[::1]:8443'].map((issuer) => ({ issuer })),
    { origin: 'http://orders.example:8080' },
  ])
    assert.partialDeepStrictEqual(settingsOf({ ...GOOD, ...least }), least);
});

test('a token that is bound says so where its binding is not checked', async (t) => {
  await using service = await FakeService.start();
  const guard = await verifier({ ...service.options, checkBinding: false });
  t.after(async () => {
    guard.close();
  });
  for (const [cnf, member] of [
    [{ 'x5t#S256': 'another' }, 'boundTo'],
    [{ jkt: 'another' }, 'boundToKey'],
  ] as const)
    assert.partialDeepStrictEqual(await guard.check(await service.jwt({ cnf })), { ok: true, [member]: 'another' });
});

test('require refuses what no token can have, and takes a resource in any case', async (t) => {
  await using service = await FakeService.start();
  const guard = await verifier(service.options);
  t.after(async () => {
    guard.close();
  });
  const wrong = [
    '',
    ' ',
    'orders:read stock:read',
    'orders:read,write',
    'orders:',
    ':read',
    'orders:READ',
    'a"\r\nx: y',
    undefined,
  ];
  for (const permission of wrong)
    assert.throws(() => guard.require(permission as string), { name: 'TypeError', message: /^require takes/ });
  for (const permission of ['orders', 'orders:read', 'Orders:read', 'a.b-c_1:d.e-f_2']) guard.require(permission);
  guard.require();
});

test('no token is a refusal, not an exception', async (t) => {
  await using service = await FakeService.start();
  const guard = await verifier(service.options);
  t.after(async () => {
    guard.close();
  });
  for (const token of [undefined, null, '', 7, {}]) {
    const checked = await guard.check(token as string);
    assert.deepEqual(checked.ok || checked.reason, 'token-missing');
  }
});

test('a permission on a resource is not one on another resource that begins alike', async (t) => {
  await using service = await FakeService.start();
  const guard = await verifier(service.options);
  t.after(() => guard.close());
  const call = async (permission: string) => {
    const request = { headers: { authorization: `Bearer ${await service.jwt()}` } } as IncomingMessage;
    let status = 0;
    const response = {
      writeHead: (code: number) => {
        status = code;
        return response;
      },
      setHeader: () => response,
      end: () => response,
      set statusCode(code: number) {
        status = code;
      },
    };
    const isAllowed = await (guard.require(permission) as (...args: unknown[]) => unknown)(request, response);
    return isAllowed === true ? 200 : status;
  };
  assert.deepEqual([await call('orders'), await call('order'), await call('orders:write')], [200, 403, 403]);
});
