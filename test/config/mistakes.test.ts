import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { loadConfig } from '../../src/config/load.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { load, mistakeIn, mistakesIn } from './configured.ts';

suite('a mistake is reported with its path, the expected form and an example', () => {
  const rows: [why: string, yaml: string, path: string, problem: RegExp][] = [
    ['a wrong type', 'tokens:\n  refresh: 1', 'tokens.refresh', /expected true or false; found 1/],
    ['a wrong duration', 'tokens: { grantLifetime: 1 year }', 'tokens.grantLifetime', /such as 90d.*found "1 year"/],
    ['a negative duration', 'tokens: { grantLifetime: -1 }', 'tokens.grantLifetime', /duration/],
    ['an endless duration', 'tokens: { grantLifetime: 999999999d }', 'tokens.grantLifetime', /duration/],
    ['a number out of range', 'listeners: [{ port: 70000 }]', 'listeners.0.port', /from 0 to 65535; found 70000/],
    ['no such choice', 'log: { level: loud }', 'log.level', /one of trace, debug/],
    ['half a certificate', 'listeners: [{ tls: { key: k } }]', 'listeners.0.tls.certificate', /missing/],
    ['an unknown key', 'tokens: { grantLifetme: 1 }', 'tokens.grantLifetme', /Did you mean grantLifetime\?/],
    ['an unknown section', 'toknes: {}', 'toknes', /Did you mean tokens\?/],
    ['a list for a section', 'log: []', 'log', /expected a group of settings/],
    ['no listener at all', 'listeners: []', 'listeners', /at least one/],
    ['an address with a path', 'publicUrl: https://a.example/b', 'publicUrl', /without a path/],
    ['no store of ours', 'store: mysql://x', 'store', /sqlite:PATH or postgres/],
  ];
  for (const [why, yaml, path, problem] of rows) {
    test(why, () => {
      const mistake = mistakeIn(yaml);
      assert.equal(mistake.path, path);
      assert.match(mistake.problem, problem);
      assert.match(mistake.source ?? '', /tessera\.yaml:\d+$/);
    });
  }

  test('the report names the line of the file', () => {
    assert.match(mistakeIn('# one\nlog:\n  level: loud\n').source ?? '', /tessera\.yaml:3$/);
  });

  test('the report shows an example', () => {
    assert.equal(mistakeIn('tokens: { grantLifetime: soon }').example, 'grantLifetime: 365d');
  });

  test('all mistakes are reported at once', () => {
    assert.equal(mistakesIn('log: { level: loud }\ntokens: { refresh: 1, onReuse: shrug }').length, 3);
  });

  test('the report names the wrong variable or flag', () => {
    assert.equal(mistakeIn('', { TESSERA_LOG_LEVEL: 'loud' }).source, 'TESSERA_LOG_LEVEL');
    assert.equal(mistakeIn('', {}, ['log.level=loud']).source, '--set log.level');
    assert.match(mistakeIn('', { TESSERA_LOG_LEVL: 'warn' }).problem, /Did you mean TESSERA_LOG_LEVEL/);
    assert.match(mistakeIn('', {}, ['log.levl=warn']).problem, /Did you mean log.level/);
    assert.match(mistakeIn('', {}, ['log.level']).problem, /PATH=VALUE/);
  });

  test('an entry behind the end of a list is a mistake of its flag, and the next one is not', () => {
    const two = 'listeners: [{ port: 1 }, { port: 2 }]';
    for (const flag of ['listeners.3.port=1', 'listeners.3={ port: 1 }']) {
      const { source, problem } = mistakeIn(two, {}, [flag]);
      assert.equal(source, `--set ${flag.split('=')[0]}`);
      assert.equal(problem, 'there is no entry 2 before it; entries are counted from 0');
    }
    assert.deepEqual(mistakesIn(two, {}, ['listeners.2.port=3']), []);
  });

  test('__proto__ and its kind are rejected as unknown settings', () => {
    assert.match(mistakeIn('__proto__: { polluted: 1 }').problem, /no such setting/);
    assert.match(mistakeIn('', {}, ['__proto__.polluted=1']).problem, /no such setting/);
    assert.match(mistakeIn('', {}, ['constructor.prototype.polluted=1']).problem, /no such setting/);
    assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
  });

  test('the report does not contain the password', () => {
    const words = JSON.stringify(mistakesIn('store: "postgrs://tessera:canary-7@db/tessera"'));
    assert.ok(!words.includes('canary'));
  });

  test('invalid YAML is reported with its file name', () => {
    assert.match(mistakeIn('a: [').source ?? '', /tessera\.yaml/);
    assert.match(mistakeIn('log: {}\nlog: {}').problem, /unique/);
    const { todo } = mistakeIn('listeners:\n  - port: 8443\n   doors: [ops]');
    assert.match(todo ?? '', /begin in the same column, behind the dash/);
    assert.match(mistakeIn('just words').problem, /expected settings; found "just words"/);
    assert.match(mistakeIn('publicUrl:https://a.example').todo ?? '', /space after the colon/);
    assert.match(mistakeIn('log: {}\n---\nlog: {}').todo ?? '', /Remove the line ---/);
    assert.match(mistakeIn('tokens:\n  refresh: true\n   onReuse: report').todo ?? '', /next line indented too far/);
    assert.throws(() => loadConfig({ file: '/nowhere/tessera.yaml', env: {} }), /no such file.*tessera init/);
  });

  test('a file in another encoding is refused: its letters would change', () => {
    const file = join(temporaryFolder('latin1'), 'tessera.yaml');
    writeFileSync(file, 'pages: { name: "Müller" }', 'latin1');
    assert.throws(() => loadConfig({ file, env: {} }), /it is not UTF-8/);
  });
});

suite('a wrong entry of a list is named by itself, with an example of the list', () => {
  const oidc = (more: string) =>
    `directories: [{ label: corp, kind: oidc, issuer: "https://a.example", clientId: t, ${more} }]`;
  const rows: [yaml: string, mistakes: Record<string, string>, example: string][] = [
    [
      'proxies: { addresses: [10.0.0.1, 10.0.0.300, 10.0.0.0/33] }',
      {
        'proxies.addresses.1': 'expected an IP address or a network; found "10.0.0.300"',
        'proxies.addresses.2': 'expected an IP address or a network; found "10.0.0.0/33"',
      },
      'addresses: ["10.0.0.0/24"]',
    ],
    [
      oidc('scopes: [openid, "a b"]'),
      { 'directories.0.scopes.1': 'expected a scope; found "a b"' },
      'scopes: ["openid","profile","email"]',
    ],
    [
      oidc('scopes: openid'),
      { 'directories.0.scopes': 'expected a list of scopes; found "openid"' },
      'scopes: ["openid","profile","email"]',
    ],
    [oidc('idClaims: []'), { 'directories.0.idClaims': 'name at least one claim' }, 'idClaims: ["tid","oid"]'],
    [
      'listeners: [{ doors: [ops, ops] }]',
      {
        'listeners.0.doors': 'expected a list of authsvc, oauth, pages, ops, admin, scim, console; found ["ops","ops"]',
      },
      'doors: ["ops"]',
    ],
  ];
  for (const [yaml, expected, shown] of rows) {
    test(Object.values(expected).join('; '), () => {
      const found = mistakesIn(yaml);
      assert.deepEqual(Object.fromEntries(found.map(({ path, problem }) => [path, problem])), expected);
      assert.deepEqual([...new Set(found.map(({ example }) => example))], [shown]);
    });
  }
});

suite('values that look right', () => {
  const rows: [why: string, yaml: string, path: string, words: RegExp][] = [
    ['a colour that is a comment in YAML', 'pages:\n  accent: #0b5fff', 'pages.accent', /no value.*begins with #/],
    ['an empty list', 'listeners:', 'listeners', /no value/],
    ['an empty entry, which would be plain HTTP', 'listeners:\n  -', 'listeners.0', /no value/],
    ['an empty group without defaults', 'listeners:\n  - tls:', 'listeners.0.tls', /no value/],
    ['a group without a space', 'tokens:\n  refresh:true', 'tokens', /accessTokenLifetime, .*space after the colon/],
    ['a home folder', 'dataFolder: ~/tessera', 'dataFolder', /without ~ or variables/],
    ['a space before a path', 'dataFolder: " /srv"', 'dataFolder', /expected a path/],
    ['a variable in a path', 'keyring: $HOME/keyring.json', 'keyring', /without ~ or variables/],
    ['a variable in a store', 'store: sqlite:$DATA/tessera.db', 'store', /sqlite:PATH/],
    ['a store in memory', 'store: "sqlite::memory:"', 'store', /sqlite:PATH/],
    ['a folder with another name', 'keyring: <datafolder>/keyring.json', 'keyring', /expected a path/],
    ['a control character', 'dataFolder: "a\\0b"', 'dataFolder', /expected a path/],
    ['a host with a port', 'listeners: [{ host: "127.0.0.1:8443" }]', 'listeners.0.host', /without a port/],
    ['a host in brackets', 'listeners: [{ host: "[::1]" }]', 'listeners.0.host', /without a port or brackets/],
    [
      'operators of a directory whose groups are pushed',
      'directories:\n  - { label: corp, kind: oidc, issuer: "https://a.example", clientId: t, operators: [ops], scim: { integration: i } }',
      'directories.0.operators',
      /groups are pushed here/,
    ],
    ['a duration too long', 'tokens: { grantLifetime: 99999d }', 'tokens.grantLifetime', /at most 50 years/],
  ];
  for (const [why, yaml, path, words] of rows) {
    test(why, () => {
      const { problem, todo = '', ...mistake } = mistakeIn(yaml);
      assert.equal(mistake.path, path);
      assert.match(`${problem} ${todo}`, words);
    });
  }

  test('IPv6 addresses and paths with unusual letters are taken', () => {
    for (const host of ['::', '::1', 'fe80::1', '::ffff:10.0.0.1', 'tokens.internal'])
      assert.ok(
        load(`publicUrl: https://a.example\nlisteners: [{ host: "${host}", tls: { certificate: c, key: k } }]`),
      );
    assert.match(load('dataFolder: "/srv/a b/ü$5/x~"').dataFolder, /x~$/);
  });
});

test('a variable that looks like a setting is not ignored: a path in TESSERA_KEYRING, a number in TESSERA_PORT', () => {
  assert.match(mistakeIn('', { TESSERA_KEYRING: '/etc/keyring.json' }).example ?? '', /^TESSERA_KEYRING_FROM=/);
  assert.deepEqual(mistakesIn('', { TESSERA_KEYRING: '{"keys":[]}' }), []);
  assert.match(mistakeIn('', { TESSERA_PORT: '8443' }).problem, /no such setting/);
  assert.deepEqual(mistakesIn('', { TESSERA_PORT: 'tcp://10.0.0.1:443' }), []);
});

suite('rules between settings', () => {
  const open = 'listeners: [{ host: 0.0.0.0, tls: { certificate: c, key: k } }]\n';
  const rows: [why: string, yaml: string, path: string, problem: RegExp][] = [
    ['publicUrl is required beyond loopback', open, 'publicUrl', /required because a listener is on 0\.0\.0\.0/],
    ['publicUrl is https', `${open}publicUrl: http://a.example`, 'publicUrl', /http:\/\/a\.example is not encrypted/],
    ['publicUrl has a scheme', `${open}publicUrl: a.example`, 'publicUrl', /expected https:\/\/ and a name/],
    [
      'plain HTTP beyond loopback',
      'publicUrl: https://a.example\nlisteners: [{ host: 0.0.0.0 }]',
      'listeners.0',
      /plain HTTP/,
    ],
    [
      'behind a proxy, but behind which',
      'publicUrl: https://a.example\nlisteners: [{ host: 0.0.0.0, behindProxy: true }]',
      'listeners.0',
      /proxies\.addresses/,
    ],
    [
      'certificates without TLS',
      'listeners: [{ clientCertificates: require }]',
      'listeners.0.clientCertificates',
      /needs tls/,
    ],
    ['one address twice', 'listeners: [{ port: 1 }, { port: 1 }]', 'listeners.1', /already has 127\.0\.0\.1:1/],
    [
      'mounts that differ in case only',
      'authsvc: { mounts: [{ path: /a }, { path: /A }] }',
      'authsvc.mounts.1.path',
      /another mount/,
    ],
    [
      'a mount of another door',
      'authsvc: { mounts: [{ path: /Admin/x }] }',
      'authsvc.mounts.0.path',
      /\/admin belongs/,
    ],
    ['the oauth door at the place of another', 'oauth: { mount: /Device }', 'oauth.mount', /belongs to another door/],
    ['the oauth door below authsvc', 'oauth: { mount: /authsvc/oauth }', 'oauth.mount', /belongs to another door/],
    [
      'a certificate header without trusted proxies',
      'proxies: { clientCertificateHeader: xfcc }',
      'proxies.addresses',
      /no certificate header is trusted/,
    ],
    ['lifetimes of nothing', 'tokens: { grantLifetime: 0 }', 'tokens.grantLifetime', /more than 0/],
    ['a timeout too long for a timer', 'limits: { stopTimeout: 30d }', 'limits.stopTimeout', /at most 1d/],
    [
      'people who must sign in again at once',
      'directories:\n  - { label: corp, kind: oidc, issuer: "https://a.example", clientId: t, maxAge: 10s }',
      'directories.0.maxAge',
      /at least 5m/,
    ],
    [
      'revocation lists that do not fit into their memory',
      'revocation: { listBytes: 300000000 }',
      'revocation.totalBytes',
      /at least twice revocation\.listBytes, which is 300000000/,
    ],
    ['everyone as a proxy', 'proxies: { addresses: ["::/0"] }', 'proxies.addresses.0', /every address/],
    ['a header name without header', 'proxies: { headerName: X-A }', 'proxies.headerName', /no effect/],
    ['polls rarer than the code lives', 'device: { pollInterval: 5m }', 'device.pollInterval', /less than/],
    ['sessions idle longer than they live', 'signIn: { sessionIdle: 9h }', 'signIn.sessionIdle', /at most/],
  ];
  for (const [why, yaml, path, problem] of rows) {
    test(why, () => {
      const mistake = mistakeIn(yaml);
      assert.equal(mistake.path, path);
      assert.match(mistake.problem, problem);
    });
  }

  test('plain HTTP is allowed on loopback and behind listed proxies', () => {
    assert.equal(load('listeners: [{ host: "::1", port: 80 }]').publicUrl, 'http://localhost:80');
    const behind = 'publicUrl: https://a.example\nlisteners: [{ host: 0.0.0.0, behindProxy: true }]\n';
    assert.ok(load(`${behind}proxies: { addresses: [10.0.0.0/8], clientCertificateHeader: rfc9440 }`));
  });
});
