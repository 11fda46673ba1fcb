import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import {
  type AllowedHost,
  type ClientUrl,
  documentAge,
  namedClient,
  readClientDocument,
} from '../../src/core/client-document.ts';

const URL_OF_CLIENT = 'https://agent.example/client.json' as ClientUrl;
const DOCUMENT = {
  client_id: URL_OF_CLIENT,
  client_name: 'Agent',
  redirect_uris: ['http://127.0.0.1/callback', 'https://agent.example/back'],
  token_endpoint_auth_method: 'none',
};
const OWN: readonly AllowedHost[] = [{ host: 'agent.example', redirects: 'own' }];
const read = (difference: object, hosts = OWN) =>
  readClientDocument(JSON.stringify({ ...DOCUMENT, ...difference }), URL_OF_CLIENT, hosts);

suite('a client_id that is an address', () => {
  const naming = (text: string, hosts: readonly string[] = ['agent.example'], known: readonly string[] = []) => {
    const allowed = hosts.map((host) => ({ host, redirects: 'own' as const }));
    const clientDocuments = hosts.length > 0 ? { hosts: allowed, integration: 'guests' } : undefined;
    const registry = { integration: (id: string) => (known.includes(id) ? {} : undefined) };
    return namedClient(text, { settings: { clientDocuments }, registry });
  };

  test('names a guest if its host is allowed; everything else names an integration', () => {
    assert.deepEqual(naming(URL_OF_CLIENT), { clientId: 'guests', guest: URL_OF_CLIENT });
    assert.equal(naming('https://any.example/c', ['*']).guest, 'https://any.example/c');
    const longest = 'https://agent.example/'.padEnd(512, 'x');
    assert.equal(naming(longest).guest, longest);
    for (const text of [
      'coder',
      'guests',
      'http://agent.example/client.json',
      'https://agent.example',
      'https://agent.example/',
      'https://agent.example.evil.example/client.json',
      'https://evil.example/client.json',
      'https://agent.example@evil.example/client.json',
      'https://ada@agent.example/client.json',
      'https://AGENT.example/client.json',
      'https://agent.example:443/client.json',
      'https://agent.example/a/../client.json',
      'https://agent.example/client.json#x',
      'https://agent.example/'.padEnd(513, 'x'),
    ])
      assert.deepEqual(naming(text), { clientId: text });
    const dotted = 'https://agent.example./client.json';
    assert.deepEqual(naming(dotted, ['agent.example', 'agent.example.', '*']), { clientId: dotted });
    assert.deepEqual(naming(URL_OF_CLIENT, []), { clientId: URL_OF_CLIENT });
  });

  test('names the integration that was registered under it by an older release', () => {
    assert.deepEqual(naming(URL_OF_CLIENT, ['*'], [URL_OF_CLIENT]), { clientId: URL_OF_CLIENT });
  });

  test('has the default port, unless the host is allowed with another', () => {
    const elsewhere = 'https://agent.example:8443/client.json';
    for (const hosts of [['agent.example'], ['*'], ['agent.example:8444']])
      assert.equal(naming(elsewhere, hosts).guest, undefined, hosts.join());
    assert.equal(naming(elsewhere, ['agent.example:8443']).guest, elsewhere);
    assert.equal(naming(URL_OF_CLIENT, ['agent.example:8443']).guest, undefined);
  });
});

suite('a document', () => {
  test('says the name and the redirect URIs of its origin and of loopback; others do not count', () => {
    const others = [
      'https://evil.example/back',
      'https://sub.agent.example/back',
      'com.example.app:/x',
      'http://agent.example/',
      7,
    ];
    const got = read({ redirect_uris: [...DOCUMENT.redirect_uris, ...others] });
    assert.deepEqual(got.ok && got.value, {
      url: URL_OF_CLIENT,
      name: 'Agent',
      redirectUris: DOCUMENT.redirect_uris,
      withheld: ['https://evil.example/back', 'https://sub.agent.example/back', 'com.example.app:/x'],
      algorithms: [],
      mayComeWithout: true,
    });
  });

  test('has at most 50 redirect URIs that count', () => {
    const uris = Array.from({ length: 51 }, (_, at) => `https://agent.example/${at + 1}`);
    const got = read({ redirect_uris: uris });
    assert.deepEqual(
      [got.ok && got.value.redirectUris.length, got.ok && got.value.redirectUris.at(-1)],
      [50, 'https://agent.example/50'],
    );
    assert.ok(!read({ redirect_uris: [...Array(50).fill('https://evil.example/'), 'https://agent.example/'] }).ok);
  });

  test('that lies or asks for a secret is refused', () => {
    for (const difference of [
      { client_id: 'https://agent.example/other.json' },
      { client_id: undefined },
      { token_endpoint_auth_method: 'client_secret_basic' },
      { client_secret: 'x' },
      { redirect_uris: [] },
      { redirect_uris: ['https://evil.example/back'] },
      { redirect_uris: 'https://agent.example/back' },
    ])
      assert.ok(!read(difference).ok, JSON.stringify(difference));
    for (const text of ['', 'null', '[]', '"x"', '{'])
      assert.ok(!readClientDocument(text, URL_OF_CLIENT, OWN).ok, text);
  });

  test('cannot put markup, line breaks or reversed text into its name', () => {
    const got = read({ client_name: `<b>A\u202ent\nhropic</b>${'x'.repeat(100)}` });
    assert.match(got.ok ? got.value.name : '', /^bAnthropicbx{49}$/);
  });

  test('is kept as its Cache-Control says, for an hour to a day', () => {
    const cases = [
      [null, 3600],
      ['no-store', 3600],
      ['max-age=60', 3600],
      ['public, max-age=7200', 7200],
      ['max-age=999999999', 86_400],
    ] as const;
    for (const [header, age] of cases) assert.equal(documentAge(header), age, String(header));
  });
});
