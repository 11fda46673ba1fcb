// The agents that people run, by the shapes of their documents: from the page to a refreshed token, and after a revocation.
import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, beforeEach, suite, test } from 'node:test';
import { SignJWT } from 'jose';
import { SHAPES, type Shape } from '../../lab/agents/shapes.ts';
import type { ClientId } from '../../src/core/integration.ts';
import { DocumentServer } from '../document-server.ts';
import { AGENT, jsonOf, Program } from '../doors/pages/asking-program.ts';
import { type RunningService, startService } from '../doors/pages/running-service.ts';
import { signedIn, type Visitor } from '../doors/pages/visitor.ts';
import { given, prepare } from '../given.ts';
import { ROOT } from '../house/sources.ts';
import { scopeOf } from '../samples.ts';

const GUESTS = {
  ...AGENT,
  clientId: 'guests' as ClientId,
  scope: scopeOf('orders:read'),
  flows: { device: false, certificate: false, code: { redirectUris: [] } },
};

const own = given(() => DocumentServer.open());
const listed = given(() => DocumentServer.open());
let service: RunningService;
let ada: Visitor;
prepare(async () => {
  const [host, other] = [own, listed].map(({ origin }) => new URL(origin).host);
  const hosts = JSON.stringify([host, { host: other, redirects: 'listed' }]);
  const sets = [`oauth.clientDocuments=${hosts}`, 'oauth.clientDocumentAddresses=[127.0.0.1]'];
  service = await startService({ integrations: [AGENT, GUESTS], sets });
  ada = await signedIn(service);
});
after(() => service?.stop());

let late = 0;
/** 10 documents a minute for one person. */
beforeEach(() => {
  service.advance(61);
  late += 61;
});

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

/** Serves the document, and is the agent. */
function agentOf({ agent, document, asks }: Shape, { served, origin }: DocumentServer): Program {
  const here = <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll('https://HOST', origin));
  const path = `/${encodeURIComponent(agent)}.json`;
  const jwk = { ...createPublicKey(privateKey).export({ format: 'jwk' }), kid: 'one' };
  served.set('/oauth/jwks.json', JSON.stringify({ keys: [jwk] }));
  served.set(path, JSON.stringify({ client_id: origin + path, client_name: agent, ...here(document) }));
  return new Program(service, here(asks), origin + path);
}

async function proofOf({ clientId }: Program, { document }: Shape): Promise<Record<string, string>> {
  if (document['token_endpoint_auth_method'] !== 'private_key_jwt') return {};
  const now = Math.floor(Date.now() / 1000) + late;
  const claims = { iss: clientId, sub: clientId, aud: service.url, jti: randomUUID() };
  const jwt = new SignJWT(claims)
    .setProtectedHeader({ alg: 'RS256', kid: 'one' })
    .setIssuedAt(now)
    .setExpirationTime(now + 300);
  const client_assertion_type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
  return { client_assertion: await jwt.sign(privateKey), client_assertion_type };
}

/** `400 shown`, or what became of the code, the refresh, the revocation and the refresh after it. */
async function outcomeOf(shape: Shape, server: DocumentServer): Promise<string> {
  const program = agentOf(shape, server);
  const { status } = await ada.get(program.path());
  if (status !== 200) return `${status} shown`;
  const code = (await program.decided(ada)).get('code');
  const redeemed = await program.redeem(code, await proofOf(program, shape));
  const refreshed = await program.refresh(jsonOf(redeemed)['refresh_token'] ?? '', await proofOf(program, shape));
  const { refresh_token: token = '' } = jsonOf(refreshed);
  const fields = { client_id: program.clientId, token, ...(await proofOf(program, shape)) };
  const revoked = await program.ask('/oauth2/revoke', fields);
  const after = await program.refresh(token, await proofOf(program, shape));
  return [redeemed, refreshed, revoked, after].map((seen) => seen.status).join(' ');
}

const WORKS = '200 200 200 400';
/** With the host alone in the configuration, and with `redirects: listed`. */
const EXPECTED: Record<string, readonly [alone: string, listed: string]> = {
  ChatGPT: [WORKS, WORKS],
  'ChatGPT, apps of developers': [WORKS, WORKS],
  Claude: [WORKS, WORKS],
  'Claude Code': [WORKS, WORKS],
  'VS Code': [WORKS, WORKS],
  Codex: [WORKS, WORKS],
  Goose: [WORKS, WORKS],
  opencode: ['400 shown', '400 shown'],
  Cursor: ['400 shown', WORKS],
  Dust: ['400 shown', WORKS],
};

suite('an agent, from the page to a refreshed token, and refused after a revocation:', () => {
  for (const shape of SHAPES)
    test(shape.agent, async () => {
      const found = [await outcomeOf(shape, own), await outcomeOf(shape, listed)];
      assert.deepEqual(found, EXPECTED[shape.agent]);
    });

  test('docs/agents.md has a row for each, as it was found here', () => {
    const rows = SHAPES.map(({ agent, published, source }) => {
      const [alone, asListed] = EXPECTED[agent] ?? [];
      const needs =
        alone === WORKS
          ? 'its host'
          : asListed === WORKS
            ? '`redirects: listed`'
            : 'refused: it asks for a redirect URI that its document does not list';
      return `| ${agent} | \`${published}\` | ${needs} | ${source} |`;
    });
    const page = readFileSync(join(ROOT, 'docs/agents.md'), 'utf8');
    assert.deepEqual(page.match(/^\| [^|]+ \| `[^|]+` \| [^|]+ \| [^|]+ \|$/gm), rows);
  });
});
