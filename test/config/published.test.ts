// What the schema of the configuration allows, which editors show, is what the loader takes.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { loadConfig } from '../../src/config/load.ts';
import { ConfigFault } from '../../src/config/mistake.ts';
import { walk } from '../e2e/schema-walk.ts';
import { fileWith } from './configured.ts';

/** Allowed by the schema, which cannot compare one setting with another, nor read a host as `URL` does. */
const BEYOND_SCHEMA = [
  /^(?:listeners\.\d\.)?publicUrl: (?:expected https:\/\/ and a name|http:\S+ is not encrypted)/,
  /^listeners\.\d+: (?:another listener already has|plain HTTP on)/,
  /^listeners\.\d+\.clientCertificates: require needs tls/,
  /^authsvc\.mounts\.\d\.path: (?:another mount already has|\S+ belongs to another door)/,
  /^oauth\.mount: \S+ belongs to another door/,
  /^proxies\.addresses: missing; without it no certificate header is trusted/,
  /^proxies\.headerName: has no effect while clientCertificateHeader is off/,
  /^device\.pollInterval: expected less than device\.codeLifetime/,
  /^signIn\.sessionIdle: expected at most signIn\.sessionLifetime/,
  /^revocation\.totalBytes: expected at least twice revocation\.listBytes/,
  /^directories\.\d\.label: another directory already has this label/,
  /^directories\.\d\.scim\.firstClaims: expected a value for each of idClaims but the last/,
  /^directories\.\d\.operators: groups are pushed here/,
  /^directories\.\d\.trustFor: expected at least recheckAfter/,
];

const OIDC = {
  label: 'corp',
  kind: 'oidc',
  issuer: 'https://login.example',
  clientId: 'tessera',
  idClaims: ['a', 'b'],
};
const BASE = {
  publicUrl: 'https://tokens.example',
  listeners: [{ tls: { certificate: 'c', key: 'k' } }],
  proxies: { addresses: ['10.0.0.0/24'], clientCertificateHeader: 'rfc9440' },
  directories: [{ ...OIDC, scim: { integration: 'corp-scim', firstClaims: ['the tenant'] } }],
  device: { pollInterval: 1, codeLifetime: '1h' },
  signIn: { sessionIdle: 1 },
  revocation: { listBytes: 65_536 },
};
/** Not beside `scim`: by themselves. */
const GROUPS = ['operators', 'viewers'];

const FILE = fileWith('');

async function refusal(value: unknown): Promise<string | undefined> {
  try {
    writeFileSync(FILE, JSON.stringify(value));
    loadConfig({ file: FILE, env: {} });
    return undefined;
  } catch (error) {
    if (!(error instanceof ConfigFault)) throw error;
    return error.mistakes.map(({ path, problem }) => `${path}: ${problem}`).join('; ');
  }
}

test('the loader takes what the published schema of the configuration allows, and nothing else', async () => {
  const schema = JSON.parse(readFileSync('docs/tessera.schema.json', 'utf8'));
  const published = { name: '', schema, base: BASE, refusal, elsewhere: BEYOND_SCHEMA };
  const walks = [await walk(published, 'few')];
  for (const name of GROUPS) {
    const [, oidc] = schema.properties.directories.items.oneOf;
    const inOidc = (value: unknown) => refusal({ directories: [{ ...OIDC, [name]: value }] });
    walks.push(await walk({ name, schema: oidc.properties[name], refusal: inOidc }, 'few'));
  }
  const lists = GROUPS.flatMap((name) =>
    ['type', 'pattern'].map((word) => `/directories/[]/(1)/${name}/(0)/[] ${word}`),
  );
  assert.deepEqual(
    walks.flatMap(({ wrong }) => wrong),
    [],
  );
  assert.deepEqual(
    walks.flatMap(({ unexercised }) => unexercised),
    lists,
  );
  const { length } = walks.flatMap(({ exercised }) => exercised);
  assert.ok(length >= 500, `${length}`);
});

test('a public address is what `URL` reads as a host and a port, for the loader and for the schema', async () => {
  const { properties } = JSON.parse(readFileSync('docs/tessera.schema.json', 'utf8'));
  const isPublished = new Ajv2020().compile(properties.publicUrl);
  const numbers = ['3f2a9c1b7d4e:8443', '1a', 'svc.3scale', '10.1', '0x7f.1', '[2001:DB8::1]:8443'];
  const names = ['a_b', 'a.example.', 'a.example:08443', 'a.example:', 'A.Example/', 'a!b', 'bücher.example'];
  const loopback = ['127.1', 'LOCALHOST:8', '[0:0:0:0:0:0:0:1]:8080', '2130706433', 'localhost/'];
  const taken = [
    ...[...numbers, ...names].map((host) => `https://${host}`),
    ...loopback.map((host) => `http://${host}`),
  ];
  for (const publicUrl of taken)
    assert.deepEqual([await refusal({ publicUrl }), isPublished(publicUrl)], [undefined, true], publicUrl);
  for (const publicUrl of [
    'https://',
    'https://a b',
    'https://u@a',
    'https://a/b',
    'http://a.example',
    'http://A.de:8',
  ])
    assert.ok((await refusal({ publicUrl })) !== undefined && !isPublished(publicUrl), publicUrl);
  for (const host of ['a:65536', 'a<b', '1.2.3.4.5', '256.1.1.1', '[::g]', ':8', 'é'.repeat(1e5)])
    assert.match((await refusal({ publicUrl: `https://${host}` })) ?? '', /^publicUrl: expected https/, host);
});
