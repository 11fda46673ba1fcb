import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { isLoopback, isPrivateUse, isRedirectUri, isRegistered, withResponse } from '../../src/core/redirect-uri.ts';
import { anyCharacter } from '../any-character.ts';

suite('redirect URIs', () => {
  test('may be registered: https, http on loopback, schemes of apps [RFC 8252 7]', () => {
    for (const uri of [
      'https://app.example/callback',
      'https://app.example',
      'https://app.example:8443/callback?tenant=1',
      'http://127.0.0.1/callback',
      'http://localhost:3118/callback',
      'http://[::1]/callback',
      'com.example.app:/callback',
      'com.example.app://callback',
    ])
      assert.ok(isRedirectUri(uri), uri);
    for (const uri of [
      '',
      'callback',
      '//app.example/callback',
      'http://app.example/callback',
      'http://127.0.0.2/callback',
      'http://localhost.evil.example/',
      'https://ada:secret@app.example/',
      'https://app.example/#fragment',
      'https://app.example/*',
      'https://App.example/',
      'https://app.example:443/',
      'https://äpp.example/',
      'https:/app.example',
      'https:\\\\app.example',
      'https://app.example/a b',
      'https://app.example/\n',
      'javascript:alert(1)',
      'data:text/html,x',
      'file:///etc/passwd',
      'app:/callback',
      `https://app.example/${'x'.repeat(600)}`,
    ])
      assert.ok(!isRedirectUri(uri), uri);
  });

  test('of a program have a scheme that no browser or system acts on by itself', () => {
    for (const uri of ['cursor://anysphere.cursor-mcp/back', 'msteams://back', 'chromex://back', 'sshd://back'])
      assert.ok(isPrivateUse(uri), uri);
    for (const scheme of [
      ...['javascript', 'data', 'view-source', 'resource', 'chrome', 'chrome-extension', 'http', 'wss'],
      ...['ms-settings', 'ms-windows-search', 'ms-windows-store', 'ms-x2', 'search-ms', 'smb', 'ssh', 'telnet'],
      ...['intent', 'android-app', 'itms-services'],
    ])
      assert.ok(!isPrivateUse(`${scheme}://back/x`), scheme);
  });

  test('a registered one matches itself alone; on loopback, with any port [RFC 6749 3.1.2.3, RFC 8252 7.3]', () => {
    const hosts = fc.constantFrom('127.0.0.1', '[::1]', 'localhost');
    const rest = fc.constantFrom('', '/', '/callback', '/callback/', '/callback?a=b', '?a=b', '/Callback');
    const port = fc.option(fc.integer({ min: 1, max: 65_535 }), { nil: undefined });
    const uri = fc
      .record({ host: hosts, port, rest })
      .map(({ host, port: at, rest: path }) => ({ host, path, text: `http://${host}${at ? `:${at}` : ''}${path}` }));
    fc.assert(
      fc.property(uri, uri, (known, sent) => {
        const isSame = known.host === sent.host && known.path === sent.path;
        assert.equal(isRegistered(sent.text, [known.text]), isSame, `${sent.text} for ${known.text}`);
      }),
    );
  });

  test('nothing that is sent leads to another host or path than a registered one, as browsers read it', () => {
    const registered = ['http://127.0.0.1/callback', 'https://app.example/back?x=1'];
    const piece = fc.constantFrom(
      'http://',
      'https://',
      '127.0.0.1',
      'app.example',
      ':',
      '80',
      '@',
      '\\',
      '/',
      '/callback',
      '/back?x=1',
      '#',
      '?',
      '.',
      '%2f',
      'evil.example',
      '..',
      '\t',
      'é',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const sent = pieces.join('');
        if (!isRegistered(sent, registered)) return;
        const { hostname, pathname, search, username } = new URL(sent);
        const place = `${hostname}${pathname}${search}`;
        assert.ok(['127.0.0.1/callback', 'app.example/back?x=1'].includes(place) && username === '', sent);
      }),
      { numRuns: 3_000 },
    );
  });

  test('the response is added to the query, and reads back as it was written', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: anyCharacter }),
        fc.constantFrom('https://a.example/b', 'https://a.example/b?c=d', 'x.y:/z'),
        (state, uri) => {
          const read = new URL(withResponse(uri, { code: 'c', state, error: undefined }));
          assert.deepEqual([read.searchParams.get('code'), read.searchParams.has('error')], ['c', false]);
          assert.equal(read.searchParams.get('state'), state.toWellFormed());
          assert.ok(read.href.startsWith(uri));
        },
      ),
    );
    assert.ok(
      isLoopback('http://localhost:1') && !isLoopback('http://localhost:0') && !isLoopback('https://localhost'),
    );
  });
});
