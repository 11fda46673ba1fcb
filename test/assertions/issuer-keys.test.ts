// Fetching the keys of token issuers from a real server on loopback: limits and discovery.
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { suite, test } from 'node:test';
import { fetchKeys } from '../../src/assertions/fetch-keys.ts';
import type { KeySource } from '../../src/core/key-source.ts';
import type { TokenIssuer } from '../../src/core/token-issuer.ts';
import type { OutboundPorts } from '../../src/outbound/guarded-fetch.ts';
import { makeAuthority } from '../authority.ts';
import { SERVER_AUTH } from '../e2e/service.ts';
import { aTokenIssuer, DISCOVERY, keySetOf, platformServer } from '../platform.ts';

import { fetching, platformForTests, tokenIssuerAt } from './platform-for-tests.ts';

const LOOPBACK = ['127.0.0.1'];
const at = platformForTests();
const tokenIssuer = (keys?: Partial<KeySource>) => tokenIssuerAt(at.server.url, keys);

async function got(issuer: TokenIssuer, ports?: Partial<OutboundPorts>): Promise<string> {
  const keys = await fetchKeys(issuer, fetching(ports));
  return keys.ok ? keys.value.text : keys.refusal;
}

suite('keys are fetched', () => {
  test('by discovery, from the address that the document names', async () => {
    assert.equal(await got(tokenIssuer()), keySetOf(at.first));
    assert.deepEqual(at.server.asked, [DISCOVERY, '/jwks']);
  });

  test('from a known address, without discovery', async () => {
    assert.equal(await got(tokenIssuer({ from: 'url', url: `${at.server.url}/jwks` })), keySetOf(at.first));
    assert.deepEqual(at.server.asked, ['/jwks']);
  });

  test('over TLS by the authorities of the token issuer alone', async () => {
    const authority = makeAuthority({ name: 'Private' });
    const tls = authority.issue({ commonName: 'localhost', dnsNames: ['localhost'], usages: [SERVER_AUTH] });
    using secure = await platformServer([at.first], tls);
    const source = { from: 'url', url: `${secure.url}/jwks`, allowedAddresses: LOOPBACK } as const;
    const resolve = async () => LOOPBACK;
    const trusting = aTokenIssuer({ issuer: secure.url, keys: { ...source, authorities: authority.pem } });
    assert.equal(await got(trusting, { resolve }), keySetOf(at.first));
    assert.match(await got(aTokenIssuer({ keys: source }), { resolve }), /self-signed|unable to verify|issuer/);
    const other = makeAuthority({ name: 'Other' }).pem;
    assert.match(await got(aTokenIssuer({ keys: { ...source, authorities: other } }), { resolve }), /no response/);
  });
});

suite('keys are not fetched', () => {
  const reply = (text: string) => (response: ServerResponse) => void response.end(text);

  test('by the discovery document of another issuer', async () => {
    for (const issuer of ['https://evil.example', `${at.server.url}/`, at.server.url.toUpperCase()]) {
      at.server.issuer = issuer;
      assert.match(await got(tokenIssuer()), /its issuer is not/);
    }
    assert.deepEqual([...new Set(at.server.asked)], [DISCOVERY], 'its keys are not even asked for');
  });

  test('by a document that is not one', async () => {
    for (const text of ['', '[]', 'null', '{"issuer":', '<html>']) {
      at.server.odd.set(DISCOVERY, reply(text));
      assert.match(await got(tokenIssuer()), /not a JSON object/);
    }
  });

  test('from a jwks_uri that is not https', async () => {
    for (const uri of [
      'http://keys.example/jwks',
      'file:///etc/passwd',
      'data:,{}',
      'https://a:b@keys.example',
      'https://a@keys.example/jwks',
      'https://:b@keys.example/jwks',
      'https://keys.example/jwks#k1',
      'https://keys.example/\u0007',
      'http://127.0.0.1.keys.example/jwks',
      7,
      undefined,
    ]) {
      at.server.odd.set(DISCOVERY, reply(JSON.stringify({ issuer: at.server.url, jwks_uri: uri })));
      assert.match(await got(tokenIssuer()), /jwks_uri is not an https address/, String(uri));
    }
  });

  test('from loopback or a private address, unless the operator allows it', async () => {
    assert.match(await got(tokenIssuer({ allowedAddresses: [] })), /127.0.0.1 is loopback/);
    const named = (url: string) => aTokenIssuer({ keys: { from: 'url', url } });
    const resolve = async () => ['10.0.0.1', '169.254.169.254'];
    assert.match(await got(named('https://keys.example/jwks'), { resolve }), /10.0.0.1 is private.*169.254.169.254 is/);
    assert.deepEqual(at.server.asked, []);
  });

  test('from a jwks_uri on loopback in the document of an issuer elsewhere', async () => {
    const { issuer } = aTokenIssuer();
    const text = JSON.stringify({ issuer, jwks_uri: `${at.server.url}/jwks` });
    const fetch = fetching();
    const keys = await fetchKeys(aTokenIssuer({ issuer }), async (url, init) =>
      url.endsWith(DISCOVERY) ? new Response(text) : fetch(url, init),
    );
    assert.match(keys.ok ? '' : keys.refusal, /127.0.0.1 is loopback/);
  });

  test('by a redirect', async () => {
    at.server.odd.set('/jwks', (response) => void response.writeHead(302, { location: '/elsewhere' }).end());
    assert.match(await got(tokenIssuer()), /HTTP 302/);
    assert.deepEqual(at.server.asked, [DISCOVERY, '/jwks']);
  });

  test('without end: the size is limited while reading', async () => {
    let sent = 0;
    const chunk = Buffer.alloc(65_536, ' ');
    at.server.odd.set('/jwks', (response) => {
      const more = () => {
        while (!response.destroyed) {
          sent += chunk.length;
          if (!response.write(chunk)) return response.once('drain', more);
        }
        return undefined;
      };
      more();
    });
    assert.match(await got(tokenIssuer()), /more than 524288 octets/);
    assert.ok(sent < 64 * 524_288, `the at.server got rid of ${sent} octets`);
  });

  test('by a document of more than 64 KB', async () => {
    const document = JSON.stringify({ issuer: at.server.url, jwks_uri: `${at.server.url}/jwks` });
    at.server.odd.set(DISCOVERY, reply(document.padEnd(65_536)));
    assert.equal(await got(tokenIssuer()), keySetOf(at.first));
    at.server.odd.set(DISCOVERY, reply(document.padEnd(65_537)));
    assert.match(await got(tokenIssuer()), /more than 65536 octets/);
  });

  test('slowly: the time is limited', async () => {
    at.server.odd.set(DISCOVERY, () => undefined);
    assert.match(await got(tokenIssuer()), /longer than 5 s|timed out/);
  });

  test('if they are not keys', async () => {
    for (const text of ['', '[]', '{}', '{"keys":{}}', '{"keys":[null,7]}', '<html>']) {
      at.server.odd.set('/jwks', reply(text));
      assert.match(await got(tokenIssuer()), /not a JSON Web Key Set/, text);
    }
  });
});
