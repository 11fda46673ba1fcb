// Rules about doors that are needed and not served, by table.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfig } from '../../src/config/load.ts';
import { type Registered, servedDoors, unservedDoors } from '../../src/config/served-doors.ts';
import type { Integration } from '../../src/core/integration.ts';
import { anIntegration } from '../samples.ts';

const TLS = 'tls: { certificate: c, key: k }';
const CLOSED: Integration['flows'] = { device: false, certificate: false };
const closed = (difference: Partial<Integration> = {}) => anIntegration({ flows: CLOSED, ...difference });
const NOTHING: Registered = { integrations: [], issuers: [], resourceServers: [], tokenIssuers: [] };
/** Something that needs each door. */
const ALL: Registered = {
  integrations: [anIntegration({ flows: { device: true, certificate: true, assertion: true } })],
  issuers: [{ label: 'corp' }],
  resourceServers: [{ id: 'orders-api' } as Registered['resourceServers'][number]],
  tokenIssuers: [{ label: 'github' }],
};
const WITHOUT_OAUTH = `listeners=[{ ${TLS}, doors: [authsvc, pages] }, { port: 9101, doors: [ops] }]`;
const ADD_OAUTH = 'Under listeners.0, write: doors: [authsvc, oauth, pages]';

const ADD_OPS = 'Under listeners, add: - { host: 127.0.0.1, port: 9464, doors: [ops] }';

type Case = readonly [
  about: string,
  sets: readonly string[],
  registered: Partial<Registered>,
  found: readonly (readonly [says: string, todo: string])[],
];

const neededBy = (door: string, needs: string) => `door ${door}: no listener serves it, but it is needed by ${needs}`;
const CERTIFICATES =
  'client certificates: no listener asks callers for them, and no proxy passes them on, but they are needed by issuer corp';

const CASES: readonly Case[] = [
  ['every door is served by default', [`listeners=[{ ${TLS} }]`], ALL, []],
  [
    'several listeners together serve every door',
    [`listeners=[{ ${TLS}, doors: [authsvc, oauth] }, { port: 1, doors: [pages, ops] }]`],
    ALL,
    [],
  ],
  ['an integration of opaque tokens does not need oauth', [WITHOUT_OAUTH], { integrations: [anIntegration()] }, []],
  [
    'an assertion flow needs oauth',
    [WITHOUT_OAUTH],
    { integrations: [closed({ flows: { ...CLOSED, assertion: true } })] },
    [[neededBy('oauth', 'integration orders-sync'), ADD_OAUTH]],
  ],
  [
    'JWT access tokens need oauth: it publishes their keys',
    [WITHOUT_OAUTH],
    { integrations: [closed({ accessTokenFormat: 'jwt' })] },
    [[neededBy('oauth', 'integration orders-sync'), ADD_OAUTH]],
  ],
  [
    'a disabled integration needs nothing',
    [WITHOUT_OAUTH],
    { integrations: [closed({ accessTokenFormat: 'jwt', enabled: false })] },
    [],
  ],
  [
    'resource servers and token issuers need oauth; three are named',
    [WITHOUT_OAUTH],
    {
      resourceServers: [...ALL.resourceServers, ...ALL.resourceServers],
      tokenIssuers: [...ALL.tokenIssuers, ...ALL.tokenIssuers],
    },
    [
      [
        neededBy('oauth', 'resource server orders-api, resource server orders-api, token issuer github and 1 more'),
        ADD_OAUTH,
      ],
    ],
  ],
  [
    'a door that is off is not served, whatever listeners name',
    ['oauth.enabled=false'],
    { tokenIssuers: ALL.tokenIssuers },
    [['door oauth: it is off, but it is needed by token issuer github', 'Set oauth.enabled to true.']],
  ],
  [
    'the line is for the listener of callers, not for that of monitoring',
    ['listeners=[{ port: 9101, doors: [ops] }, { port: 1, doors: [authsvc] }]'],
    { tokenIssuers: ALL.tokenIssuers },
    [[neededBy('oauth', 'token issuer github'), 'Under listeners.1, write: doors: [authsvc, oauth]']],
  ],
  [
    'the device flow needs pages',
    ['listeners=[{ doors: [authsvc, oauth, ops] }]'],
    { integrations: [anIntegration()] },
    [
      [
        neededBy('pages', 'integration orders-sync (device flow)'),
        'Under listeners.0, write: doors: [authsvc, oauth, pages, ops]',
      ],
    ],
  ],
  [
    'without the device flow, nothing needs pages',
    ['listeners=[{ doors: [authsvc, oauth, ops] }]', 'device.enabled=false'],
    { integrations: [anIntegration()] },
    [],
  ],
  [
    'an integration without the device flow does not need pages',
    ['listeners=[{ doors: [authsvc, oauth, ops] }]'],
    { integrations: [closed()] },
    [],
  ],
  [
    'health checks need ops',
    ['listeners=[{ doors: [authsvc, oauth, pages] }]'],
    {},
    [[neededBy('ops', 'health checks and monitoring'), ADD_OPS]],
  ],
  [
    'approved issuers need a listener that asks for certificates',
    [`listeners=[{ ${TLS}, clientCertificates: off }]`],
    ALL,
    [[CERTIFICATES, 'Under listeners.0, write: clientCertificates: request']],
  ],
  [
    'a listener for monitoring that asks for certificates does not count',
    [`listeners=[{ ${TLS}, clientCertificates: off }, { ${TLS}, port: 1, doors: [ops] }]`],
    ALL,
    [[CERTIFICATES, 'Under listeners.0, write: clientCertificates: request']],
  ],
  [
    'the line is for the listener that serves callers',
    [
      `listeners=[{ ${TLS}, doors: [pages, ops] }, { ${TLS}, port: 1, clientCertificates: off, doors: [authsvc, oauth] }]`,
    ],
    ALL,
    [[CERTIFICATES, 'Under listeners.1, write: clientCertificates: request']],
  ],
  [
    'on plain HTTP, approved issuers need the header of a proxy',
    ['listeners=[{ port: 8080 }]', 'proxies.addresses=[127.0.0.1]'],
    ALL,
    [
      [
        CERTIFICATES,
        'Under proxies, name the addresses of the proxy and its clientCertificateHeader (docs/proxies.md), or give the listener tls.',
      ],
    ],
  ],
  [
    'the header of a proxy is enough',
    [
      `listeners=[{ ${TLS}, clientCertificates: off }]`,
      'proxies={ addresses: [127.0.0.1], clientCertificateHeader: rfc9440 }',
    ],
    ALL,
    [],
  ],
  [
    'guests need their integration',
    ['oauth.clientDocuments=[agent.example]'],
    { integrations: [closed({ clientId: 'guests' as Integration['clientId'] })] },
    [
      [
        'guests: oauth.clientDocuments allows hosts, but no enabled integration guests with authorization codes exists',
        'Do: tessera integration add guests --scope … --code yes (docs/agents.md)',
      ],
    ],
  ],
  [
    'guests with their integration need nothing',
    ['oauth.clientDocuments=[agent.example]', 'oauth.guestIntegration=agents'],
    {
      integrations: [
        closed({ clientId: 'agents' as Integration['clientId'], flows: { ...CLOSED, code: { redirectUris: [] } } }),
      ],
    },
    [],
  ],
  [
    'issuers that no integration accepts certificates of need nothing',
    ['listeners=[{ port: 8080 }]'],
    { ...ALL, integrations: [closed()] },
    [],
  ],
];

for (const [about, sets, registered, expected] of CASES)
  test(about, () => {
    const found = unservedDoors(loadConfig({ env: {}, sets }), { ...NOTHING, ...registered });
    assert.deepEqual(
      found.map(({ about: door, says, todo }) => [`${door}: ${says}`, todo]),
      expected,
    );
  });

test('following the advice ends the finding', () => {
  for (const [, sets, registered] of CASES) {
    const all = { ...NOTHING, ...registered };
    const advice = unservedDoors(loadConfig({ env: {}, sets }), all).flatMap(({ todo }) => {
      const [, path, name, value] = /^Under (listeners\.\d), write: (\w+): (.+)$/.exec(todo) ?? [];
      return path ? [`${path}.${name}=${value}`] : [];
    });
    const after = unservedDoors(loadConfig({ env: {}, sets: [...sets, ...advice] }), all);
    assert.deepEqual(
      after.filter(({ todo }) => todo.startsWith('Under listeners.')),
      [],
    );
  }
});

test('a service serves the doors of all its listeners', () => {
  const served = (...sets: string[]) => servedDoors(loadConfig({ env: {}, sets }));
  assert.deepEqual(served(), ['authsvc', 'oauth', 'pages', 'ops']);
  assert.deepEqual(served('oauth.enabled=false'), ['authsvc', 'pages', 'ops']);
  assert.deepEqual(served('listeners=[{ doors: [ops] }, { port: 1, doors: [authsvc] }]'), ['authsvc', 'ops']);
});
