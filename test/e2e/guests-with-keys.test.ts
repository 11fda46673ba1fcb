// Clients that nobody registered and that authenticate: ChatGPT's document, its keys, and documents and key sets that are hostile.
import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import { after, beforeEach, suite, test } from 'node:test';
import { SignJWT } from 'jose';
import { examineContents } from '../../src/cli/doctor/contents.ts';
import type { ClientId } from '../../src/core/integration.ts';
import { FollowedRegistry } from '../../src/store/registry.ts';
import { integrations } from '../../src/store/tables/integrations.ts';
import { DocumentServer } from '../document-server.ts';
import { AGENT, CALLBACK, jsonOf, Program } from '../doors/pages/asking-program.ts';
import { type RunningService, startService } from '../doors/pages/running-service.ts';
import { signedIn, type Visitor } from '../doors/pages/visitor.ts';
import { eventually } from '../eventually.ts';
import { given, prepare } from '../given.ts';
import { scopeOf } from '../samples.ts';

const GUESTS = {
  ...AGENT,
  clientId: 'guests' as ClientId,
  scope: scopeOf('orders:read'),
  flows: { device: false, certificate: false, code: { redirectUris: [] } },
};

const documents = given(() => DocumentServer.open());
/** Of a host whose documents may list any redirect URI. */
const listed = given(() => DocumentServer.open());
let service: RunningService;
let ada: Visitor;
let late = 0;
prepare(async () => {
  const [own, other] = [documents, listed].map(({ origin }) => new URL(origin).host);
  const hosts = JSON.stringify([own, { host: other, redirects: 'listed' }]);
  const sets = [`oauth.clientDocuments=${hosts}`, 'oauth.clientDocumentAddresses=[127.0.0.1]'];
  service = await startService({ integrations: [AGENT, GUESTS], sets });
  ada = await signedIn(service);
});
after(() => service?.stop());
beforeEach(() => {
  service.advance(61); // 10 fetches a minute for one person, 20 for one host
  late += 61;
});

const RSA = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const jwkOf = (key: KeyObject, kid: string) => ({ ...createPublicKey(key).export({ format: 'jwk' }), kid, use: 'sig' });
const setOf = (...keys: readonly object[]) => JSON.stringify({ keys });

/** ChatGPT's document (chatgpt.com/oauth/client.json), at an address of its own; with `none` in the list, as it is now. */
function chatgpt(name: string, difference: object = {}): Program {
  const path = `/${name}.json`;
  documents.served.set(`/${name}-jwks.json`, setOf(jwkOf(RSA, 'one')));
  const shape = {
    redirect_uris: ['https://localhost/connector', 'http://127.0.0.1/callback'],
    token_endpoint_auth_method: 'private_key_jwt',
    token_endpoint_auth_signing_alg: 'RS256',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    jwks_uri: `${documents.origin}/${name}-jwks.json`,
  };
  documents.served.set(path, documents.document(path, { ...shape, ...difference }));
  return new Program(service, CALLBACK, documents.origin + path);
}

const BOTH = { token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'] };
const ANY_ALGORITHM = { token_endpoint_auth_signing_alg: undefined };

interface Assertion {
  readonly key?: KeyObject | Uint8Array;
  readonly alg?: string;
  readonly kid?: string;
  readonly claims?: object;
}

async function proofOf({ clientId }: Program, { key = RSA, alg = 'RS256', kid = 'one', claims }: Assertion = {}) {
  const now = Math.floor(Date.now() / 1000) + late;
  const usual = { iss: clientId, sub: clientId, aud: service.url, jti: randomUUID(), iat: now, exp: now + 300 };
  const jwt = new SignJWT({ ...usual, ...claims }).setProtectedHeader({ alg, kid });
  const type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
  return { client_assertion: await jwt.sign(key), client_assertion_type: type };
}

const codeOf = async (program: Program) => (await program.decided(ada)).get('code');
const verdict = (seen: { readonly status: number; readonly text: string }) =>
  `${seen.status} ${(JSON.parse(seen.text) as { error?: string }).error ?? 'done'}`;

suite('a guest that authenticates', () => {
  test('in the shape of ChatGPT: code, refresh and revocation, each with a new assertion', async () => {
    const program = chatgpt('whole');
    const redeemed = await program.redeem(await codeOf(program), await proofOf(program));
    const { refresh_token: first = '', scope, expires_in } = jsonOf(redeemed);
    assert.equal(Number(expires_in), 3600);
    assert.equal(scope, 'orders:read', 'what the integration of guests allows');
    const next = jsonOf(await program.refresh(first, await proofOf(program)));
    const { refresh_token: token = '' } = next;
    assert.equal(Number(next['expires_in']), 3600);
    const revoke = async (fields: object) =>
      verdict(await program.ask('/oauth2/revoke', { client_id: program.clientId, token, ...fields }));
    assert.equal(await revoke({}), '401 invalid_client', 'not without one');
    assert.equal(await revoke(await proofOf(program)), '200 done');
    assert.equal(verdict(await program.refresh(token, await proofOf(program))), '400 invalid_grant');
  });

  for (const [alg, make] of [
    ['RS256', () => RSA],
    ['PS256', () => RSA],
    ['ES256', () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey],
    ['EdDSA', () => generateKeyPairSync('ed25519').privateKey],
  ] as const)
    test(`signs with ${alg}, with keys in the document itself`, async () => {
      const key = make();
      const jwks = { keys: [jwkOf(key, 'one')] };
      const program = chatgpt(`inline-${alg}`, { ...ANY_ALGORITHM, jwks_uri: undefined, jwks });
      const redeemed = await program.redeem(await codeOf(program), await proofOf(program, { key, alg }));
      assert.equal(redeemed.status, 200, redeemed.text);
      assert.ok(!documents.asked.includes(`/inline-${alg}-jwks.json`));
    });

  test('does so for its code too, unless its document lists none; refused, the code is not spent', async () => {
    const program = chatgpt('always');
    const code = await codeOf(program);
    assert.equal(verdict(await program.redeem(code)), '401 invalid_client');
    assert.equal((await program.redeem(code, await proofOf(program))).status, 200);
    const either = chatgpt('either', BOTH);
    assert.equal((await either.redeem(await codeOf(either))).status, 200);
  });

  test('that may come without, and once came with, must come with for this grant', async () => {
    const program = chatgpt('stronger', BOTH);
    const { refresh_token: proven = '' } = jsonOf(await program.redeem(await codeOf(program), await proofOf(program)));
    assert.equal(verdict(await program.refresh(proven)), '401 invalid_client');
    assert.equal((await program.refresh(proven, await proofOf(program))).status, 200);
    const { refresh_token: bare = '' } = jsonOf(await program.redeem(await codeOf(program)));
    assert.equal((await program.refresh(bare)).status, 200, 'another grant of the same client');
  });

  test('after a rotation of its keys: the set is fetched once more', async () => {
    const program = chatgpt('rotated');
    const { refresh_token: first = '' } = jsonOf(await program.redeem(await codeOf(program), await proofOf(program)));
    const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    documents.served.set('/rotated-jwks.json', setOf(jwkOf(key, 'two')));
    const next = await program.refresh(first, await proofOf(program, { key, kid: 'two' }));
    assert.equal(next.status, 200, next.text);
    assert.equal(documents.asked.filter((path) => path === '/rotated-jwks.json').length, 2);
  });

  test('is refused with an assertion that is wrong, and nothing is spent', async () => {
    const program = chatgpt('wrong');
    const code = await codeOf(program);
    const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    const publicBytes = Buffer.from(createPublicKey(RSA).export({ format: 'pem', type: 'spki' }));
    const wrong: Record<string, Assertion> = {
      'another audience': { claims: { aud: 'https://elsewhere.example' } },
      'the token endpoint, which no setting allows': { claims: { aud: `${service.url}/oauth2/token` } },
      'several audiences': { claims: { aud: [service.url, 'https://elsewhere.example'] } },
      'another subject': { claims: { sub: 'coder' } },
      expired: { claims: { exp: 1_000_000_000 } },
      'a key of somebody else': { key: other },
      'an algorithm that its document does not name': { alg: 'PS256' },
      'its public key as a secret': { key: publicBytes, alg: 'HS256' },
    };
    for (const [name, assertion] of Object.entries(wrong))
      assert.equal(verdict(await program.redeem(code, await proofOf(program, assertion))), '401 invalid_client', name);
    const proof = await proofOf(program);
    assert.equal((await program.redeem(code, proof)).status, 200);
    assert.equal(verdict(await program.redeem(code, proof)), '401 invalid_client', 'replayed');
  });

  test('of an integration that allows it may name the token endpoint', async () => {
    const program = chatgpt('endpoint');
    const code = await codeOf(program);
    const set = (tokenEndpointAudience: boolean) =>
      service.store.change(integrations, 'guests', (found) => ({
        outcome: undefined,
        ...(found && { next: { ...found.row, tokenEndpointAudience } }),
      }));
    await set(true);
    const claims = { aud: `${service.url}/oauth2/token` };
    const isTaken = async () => (await program.redeem(code, await proofOf(program, { claims }))).status === 200;
    await eventually('the setting is known', isTaken);
    await set(false);
  });

  test('with a secret, or with the assertion of another client, is refused', async () => {
    const program = chatgpt('secret', BOTH);
    const code = await codeOf(program);
    assert.equal(verdict(await program.redeem(code, { client_secret: 'x' })), '401 invalid_client');
    const other = chatgpt('other', BOTH);
    assert.equal(verdict(await program.redeem(code, await proofOf(other))), '401 invalid_client');
  });

  test('before a person has signed in causes no fetch, whatever it sends', async () => {
    const program = chatgpt('early');
    const proof = await proofOf(program);
    assert.equal(verdict(await program.redeem('made-up', proof)), '400 invalid_grant');
    assert.equal(verdict(await program.refresh('made-up', await proofOf(program))), '400 invalid_grant');
    const { clientId: client_id } = program;
    assert.equal((await program.ask('/oauth2/revoke', { client_id, token: 'made-up', ...proof })).status, 200);
    assert.ok(!documents.asked.some((path) => path.startsWith('/early')));
  });
});

suite('the token of another client, or of a grant that was revoked, causes no fetch:', () => {
  test('at the token endpoint and to revoke', async () => {
    const own = chatgpt('owner');
    const { refresh_token: token = '' } = jsonOf(await own.redeem(await codeOf(own), await proofOf(own)));
    const other = chatgpt('third');
    assert.equal(verdict(await other.refresh(token, await proofOf(other))), '400 invalid_grant');
    const revoke = async (program: Program) =>
      program.ask('/oauth2/revoke', { client_id: program.clientId, token, ...(await proofOf(program)) });
    await revoke(other);
    assert.ok(!documents.asked.some((path) => path.startsWith('/third')));
    assert.equal((await own.refresh(token, await proofOf(own))).status, 200, 'it has ended nothing');
    assert.equal((await revoke(own)).status, 200);
    service.advance(3_601); // the document is fetched again then
    late += 3_601;
    const before = documents.asked.length;
    assert.equal(verdict(await own.refresh(token, await proofOf(own))), '400 invalid_grant');
    assert.equal((await revoke(own)).status, 200, 'nothing is left to end');
    assert.equal(documents.asked.slice(before).filter((path) => path.startsWith('/owner')).length, 0);
    ada = await signedIn(service);
  });
});

suite('a redirect URI that is not of the document', () => {
  const CURSOR = 'cursor://anysphere.cursor-mcp/oauth/callback';
  const DUST = 'https://eu.dust.example/oauth/mcp/finalize';
  const redirect_uris = [CURSOR, DUST, 'http://127.0.0.1/callback'];

  test('is accepted if the document lists it and the entry of its host says so; the page shows where, and warns', async () => {
    listed.served.set('/c', listed.document('/c', { redirect_uris }));
    for (const [uri, place, warning] of [
      [CURSOR, 'cursor:', /can claim addresses that begin with cursor:/],
      [DUST, 'eu.dust.example', undefined],
    ] as const) {
      const program = new Program(service, uri, `${listed.origin}/c`);
      const { text } = await ada.get(program.path());
      assert.match(text, new RegExp(`<dd class="host"><span translate="no">${place}</span></dd>`));
      if (warning) assert.match(text, warning);
      else assert.doesNotMatch(text, /class="warning"/);
      assert.equal((await program.redeem(await codeOf(program))).status, 200);
    }
    const unlisted = new Program(service, 'cursor://elsewhere/callback', `${listed.origin}/c`);
    assert.equal((await ada.get(unlisted.path())).status, 400);
  });

  test('is refused otherwise, and the person reads which setting would allow it', async () => {
    documents.served.set('/cursor', documents.document('/cursor', { redirect_uris }));
    const { status, text } = await ada.get(new Program(service, CURSOR, `${documents.origin}/cursor`).path());
    assert.equal(status, 400);
    const { host } = new URL(documents.origin);
    const line = `oauth.clientDocuments: [{ host: &#39;${host}&#39;, redirects: listed }]`;
    assert.ok(text.includes(`${CURSOR} has another origin than the document. To allow it: ${line}`), text);
  });

  test('is named by doctor, with the setting, once the refusal is counted', async () => {
    documents.served.set('/dust', documents.document('/dust', { redirect_uris: [DUST] }));
    await ada.get(new Program(service, DUST, `${documents.origin}/dust`).path());
    const registry = await FollowedRegistry.load(service.store);
    const about = `client ${documents.origin}/dust`;
    const found = async () =>
      (await examineContents(service.store, registry)).find((finding) => finding.about === about);
    await eventually('the refusal is counted', async () => (await found()) !== undefined);
    const { says, todo } = (await found()) ?? {};
    assert.equal(says, `its document was refused: its redirect URI ${DUST} has another origin than the document`);
    const { host } = new URL(documents.origin);
    assert.equal(todo, `To allow it, set oauth.clientDocuments: [{ host: '${host}', redirects: listed }]`);
  });

  test('of a host that is not allowed: operators read the setting, and nothing is fetched', async () => {
    const { status, text } = await ada.get(new Program(service, CALLBACK, 'https://new.example/c.json').path());
    assert.equal(status, 404);
    assert.match(text, /its host new\.example is not allowed\. To allow it: oauth\.clientDocuments: \[new\.example\]/);
  });
});

const HOSTILE_DOCUMENTS: Record<string, readonly [document: object | string, sentence: string]> = {
  'no JSON': ['<html>', 'it is not a JSON object'],
  'another client_id': [{ client_id: 'https://localhost/other' }, 'its client_id is not its address'],
  'a secret': [{ client_secret: 'hunter2' }, 'it has a client_secret'],
  'a method with a shared secret': [
    { token_endpoint_auth_method: 'client_secret_jwt' },
    'its token_endpoint_auth_method is not none or private_key_jwt',
  ],
  'methods with a shared secret alone': [
    { token_endpoint_auth_methods_supported: ['client_secret_post'] },
    'its token_endpoint_auth_methods_supported have neither none nor private_key_jwt',
  ],
  'no keys': [
    { token_endpoint_auth_method: 'private_key_jwt' },
    'it has private_key_jwt, but neither jwks nor jwks_uri',
  ],
  'two key sets': [
    { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [{}] }, jwks_uri: 'https://localhost/k' },
    'it has both jwks and jwks_uri',
  ],
  'keys of a host that is not allowed': [
    { token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'https://evil.example/k' },
    'its jwks_uri: its host evil.example is not allowed. To allow it: oauth.clientDocuments: [evil.example]',
  ],
  'keys on this machine': [
    { token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'http://127.0.0.1:8080/k' },
    'its jwks_uri is not an https address with a path, as browsers write it',
  ],
  'a private key': [
    { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [RSA.export({ format: 'jwk' })] } },
    'its jwks: it has a private or symmetric key',
  ],
  'a symmetric key': [
    { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [{ kty: 'oct', k: 'AAAA' }] } },
    'its jwks: it has a private or symmetric key',
  ],
  'an algorithm with a shared secret': [
    { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [{}] }, token_endpoint_auth_signing_alg: 'HS256' },
    'its token_endpoint_auth_signing_alg is not one that is supported',
  ],
  'a redirect URI of another origin': [
    { redirect_uris: ['https://evil.example/back'] },
    'its redirect URI https://evil.example/back has another origin than the document. To allow it: oauth.clientDocuments: [{ host: ',
  ],
  'redirect URIs that are scripts': [
    { redirect_uris: ['javascript://alert/1', 'data://text/html,x', 'http://evil.example/'] },
    'it lists no redirect_uris that can be used',
  ],
  'redirect URIs that are no texts': [{ redirect_uris: [{}, 7, null] }, 'it lists no redirect_uris that can be used'],
  'six kilobytes': [{ x: 'x'.repeat(6_000) }, 'it has more than 5120 octets'],
};

test('requests for documents name this service: some hosts answer 403 otherwise', async () => {
  documents.served.set('/named', (response) => {
    if (response.req.headers['user-agent'] !== 'Tessera') response.writeHead(403);
    response.end(documents.document('/named'));
  });
  assert.equal((await ada.get(new Program(service, CALLBACK, `${documents.origin}/named`).path())).status, 200);
});

suite('a hostile document is refused in one sentence, for the person and in the log:', () => {
  for (const [name, [document, sentence]] of Object.entries(HOSTILE_DOCUMENTS))
    test(name, async () => {
      const path = `/hostile-${name.replaceAll(' ', '-')}`;
      documents.served.set(path, typeof document === 'string' ? document : documents.document(path, document));
      const { status, text } = await ada.get(new Program(service, CALLBACK, documents.origin + path).path());
      assert.equal(status, 400);
      assert.ok(text.includes(`${documents.origin}${path}: ${sentence}`), text);
      assert.ok(service.logged().includes(sentence.split('. To allow')[0] ?? ''));
    });

  test('a redirect', async () => {
    documents.served.set('/away', (response) => response.writeHead(302, { location: '/whole.json' }).end());
    const { text } = await ada.get(new Program(service, CALLBACK, `${documents.origin}/away`).path());
    assert.match(text, /\/away: the response is HTTP 302\./);
  });
});

const MANY = setOf(...Array.from({ length: 101 }, (_, at) => ({ kty: 'EC', kid: String(at) })));
const HOSTILE_KEY_SETS: Record<string, readonly [set: string, sentence: RegExp]> = {
  'no JSON': ['<html>', /it is not a JSON Web Key Set/],
  'no keys': ['{"keys":[]}', /it has no keys/],
  '101 keys': [MANY, /it has more than 100 keys/],
  '10,000 keys': [setOf(...Array.from({ length: 10_000 }, () => ({ kty: 'EC' }))), /it has more than 32768 octets/],
  'a private key': [setOf({ ...RSA.export({ format: 'jwk' }), kid: 'one' }), /it has a private or symmetric key/],
  'a symmetric key': [setOf({ kty: 'oct', k: 'AAAA', kid: 'one' }), /it has a private or symmetric key/],
};

suite('a hostile key set authenticates nobody, and the log says why:', () => {
  for (const [name, [set, sentence]] of Object.entries(HOSTILE_KEY_SETS))
    test(name, async () => {
      const program = chatgpt(`keys-${name.replaceAll(/\W/g, '-')}`);
      const path = `${new URL(program.clientId).pathname.replace('.json', '')}-jwks.json`;
      documents.served.set(path, set);
      const { status, text } = await program.redeem(await codeOf(program), await proofOf(program));
      const expected = name === 'no JSON' ? '503 temporarily_unavailable' : '401 invalid_client';
      assert.equal(verdict({ status, text }), expected);
      const line = service
        .logged()
        .split('\n')
        .find((each) => each.includes(path) && each.includes('not fetched'));
      assert.match(line ?? '', sentence);
    });
});

suite('a guest that withdraws its keys is not authenticated by those known before, once the set was fetched again:', () => {
  for (const [name, [set]] of Object.entries(HOSTILE_KEY_SETS).filter(([each]) => each !== 'no JSON'))
    test(name, async () => {
      const program = chatgpt(`withdrawn-${name.replaceAll(/\W/g, '-')}`);
      const { refresh_token: token = '' } = jsonOf(await program.redeem(await codeOf(program), await proofOf(program)));
      const path = `${new URL(program.clientId).pathname.replace('.json', '')}-jwks.json`;
      documents.served.set(path, set);
      const unknown = await proofOf(program, { kid: 'two' });
      assert.equal(verdict(await program.refresh(token, unknown)), '401 invalid_client');
      assert.equal(verdict(await program.refresh(token, await proofOf(program))), '401 invalid_client');
    });
});
