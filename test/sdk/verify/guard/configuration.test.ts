// The file of a guard: all of its mistakes are named, each with its place.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { suite, test } from 'node:test';
import { Ajv } from 'ajv';
import { allowing, checkConfiguration } from '../../../../sdk/verify/src/guard/configuration.ts';
import { schemaText } from '../../../../sdk/verify/src/guard.ts';

const audience = 'https://orders.example';
const rule = { path: '/orders', audience, scope: 'orders:read' };
const GOOD = {
  issuer: 'https://tokens.example',
  resourceServers: [{ id: 'orders-api', audience, secretFile: 'secret' }],
  from: 'headers',
};

test('the least that a file can have, and all that it can have', () => {
  checkConfiguration(GOOD);
  checkConfiguration({
    ...{ ...GOOD, $schema: 'x', ca: 'ca.pem', maxStale: 10, whenStale: 'introspect', cacheSize: 5, from: 'path' },
    resourceServers: [{ ...GOOD.resourceServers[0], origin: audience, metadata: true }],
    rules: [
      { ...rule, host: 'orders.example', methods: ['GET'], open: ['OPTIONS'] },
      { ...rule, path: '/', scope: '' },
    ],
    listen: ['/run/guard', '127.0.0.1:1', 'localhost:2', '[::1]:3', '0.0.0.0:4'],
    allow: ['10.0.0.0/8', 'fd00::/8'],
    clientCertificate: { header: 'Client-Cert', form: 'rfc9440' },
  });
});

suite('a mistake is named with its place', () => {
  const rules = (...given: object[]) => ({ ...GOOD, rules: given });
  const MISTAKES: readonly (readonly [given: unknown, expected: RegExp])[] = [
    [[], /^the file must be of type object, not array$/],
    [
      { ...GOOD, issuer: undefined, from: 'both' },
      /^issuer must be of type string, not undefined\nfrom must be one of headers, path$/,
    ],
    [{ ...GOOD, rule: [] }, /^rule is unknown. There are: .*\brules\b/],
    [{ ...GOOD, resourceServers: [] }, /^resourceServers must not be empty$/],
    [rules({ ...rule, scope: undefined }), /^rules\[0\]\.scope must be of type string/],
    [rules({ path: '/a', audience }), /^rules\[0\]\.scope is missing$/],
    [rules(rule, { ...rule, methods: ['get'] }), /^rules\[1\]\.methods\[0\] must be like GET, not "get"$/],
    [rules({ ...rule, methods: [] }), /^rules\[0\]\.methods must not be empty$/],
    [
      rules({ ...rule, audience: 'https://other' }),
      /^rules\[0\]\.audience is of no resource server: https:\/\/orders\.example$/,
    ],
    [rules({ ...rule, scope: 'Orders:READ!' }), /^rules\[0\]\.scope: Orders:READ! is not a permission/],
    [rules({ ...rule, host: 'orders.example:1' }), /^rules\[0\]\.host must be like orders\.example\.com/],
    [rules(rule, { ...rule, scope: '' }), /^two rules are for any method, any host, \/orders$/],
    [rules({ ...rule, methods: ['GET'], open: ['GET'] }), /GET is in methods and in open/],
    ...['/orders/', '//', '/a/../b', '/%61', '/a;b', '/a?b', '/a%2fb'].map(
      (path) => [rules({ ...rule, path }), /^rules\[0\]\.path must be plain/] as const,
    ),
    [{ ...GOOD, from: 'path' }, /^from: path needs rules/],
    [
      { ...GOOD, resourceServers: [...GOOD.resourceServers, ...GOOD.resourceServers] },
      /^two resource servers have the audience/,
    ],
    ...['0.0.0.0:1', '[::]:1', '10.0.0.1:1', 'guard.example:1', '127.0.0.1.evil.example:1'].map(
      (address) => [{ ...GOOD, listen: [address] }, /can be reached from elsewhere. Say who may ask/] as const,
    ),
    [{ ...GOOD, listen: ['9300'] }, /^listen\[0\] must be like/],
    ...['10.0.0.0', '10.0.0.0/33', 'x/8', '::/129', '10.0.0.0/8/8'].map(
      (range) => [{ ...GOOD, allow: [range] }, /is not a network such as 10\.0\.0\.0\/8$/] as const,
    ),
    [{ ...GOOD, tls: { certificate: 'a', key: 'b' } }, /^tls\.clients is missing$/],
    [{ ...GOOD, maxStale: -1 }, /^maxStale must be at least 0$/],
  ];
  for (const [given, message] of MISTAKES)
    test(String(message), () => {
      assert.throws(() => checkConfiguration(given), { name: 'WrongConfiguration', message });
    });
});

test('networks that may connect', () => {
  const mayConnect = allowing(['10.1.0.0/16', 'fd00::/8']);
  const addresses = ['10.1.255.1', '::ffff:10.1.0.1', 'fd00::1', '10.2.0.1', '::ffff:10.2.0.1', 'fe80::1', '', 'x'];
  assert.deepEqual(
    addresses.map((address) => mayConnect?.(address)),
    [true, true, true, false, false, false, false, false],
  );
  assert.equal(allowing(undefined), undefined);
});

test('docs/guard.schema.json is what `tessera guard schema` prints, and a schema that other tools read', () => {
  assert.deepEqual(JSON.parse(schemaText()), JSON.parse(readFileSync('docs/guard.schema.json', 'utf8')));
  const validate = new Ajv({ strict: false }).compile(JSON.parse(schemaText()) as object);
  assert.ok(validate({ ...GOOD, rules: [rule] }));
  for (const wrong of [{}, { ...GOOD, rule: [] }, { ...GOOD, rules: [{ path: 'x' }] }]) assert.ok(!validate(wrong));
});
