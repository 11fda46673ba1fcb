// A real OpenID provider over TLS, in this process, and a browser that signs in there.
import { generateKeyPairSync, sign } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import type { IncomingMessage, RequestListener } from 'node:http';
import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Provider } from 'oidc-provider';
import { type Authority, makeAuthority } from '../../authority.ts';
import { SERVER_AUTH } from '../../e2e/service.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

const SECRET = 'canary-secret-of-the-client';
/** 127.0.0.1 as a general name, in DER. */
export const ADDRESS = Uint8Array.of(0x87, 4, 127, 0, 0, 1);
const SCOPES = ['openid', 'profile', 'email', 'groups'];
const { privateKey: SIGNING } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const KEY = { ...SIGNING.export({ format: 'jwk' }), use: 'sig' };

export type Account = Readonly<Record<string, unknown>>;

export interface TestProvider extends AsyncDisposable {
  readonly issuer: string;
  readonly authority: Authority;
  /** People there, by what they type. They may change. */
  readonly accounts: Map<string, Account>;
  /** While set, other claims of its ID tokens, which it signs. `undefined`: the token has none. */
  claims: Readonly<Record<string, unknown>> | undefined;
  /** Paths that were requested, of the service and of browsers. */
  readonly requested: string[];
  /** The entry of the configuration. */
  readonly directory: (label: string, difference?: object) => object;
  /** Begins to answer, to the service at this address. */
  readonly serve: (serviceUrl: string, ...labels: string[]) => void;
  /** Begins to answer with metadata that names another issuer. */
  readonly nameAnother: (issuer: string) => void;
  /** While set, requests to this path get no answer. */
  stuckAt: string | undefined;
  readonly stop: () => Promise<void>;
  readonly start: () => Promise<void>;
}

export async function startProvider(): Promise<TestProvider> {
  const folder = temporaryFolder('oidc');
  const authority = makeAuthority();
  // An address, so that browsers take it for another site than the service at localhost.
  const certificate = authority.issue({ commonName: 'provider', alternativeNames: [ADDRESS], usages: [SERVER_AUTH] });
  const file = (name: string, contents: string) => {
    writeFileSync(join(folder, name), contents, { mode: 0o600 });
    return join(folder, name);
  };
  let answer: RequestListener = (_request, response) => void response.writeHead(503).end();
  const requested: string[] = [];
  const accounts = new Map<string, Account>();
  const server = createServer({ cert: certificate.pem, key: certificate.key }, (incoming, response) => {
    const { pathname } = new URL(incoming.url ?? '/', 'https://localhost');
    requested.push(pathname);
    if (pathname !== provider.stuckAt) answer(incoming, response);
  });
  let port = 0;
  const start = async () => {
    await new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening));
    ({ port } = server.address() as AddressInfo);
  };
  const stop = async () => {
    server.closeAllConnections();
    await new Promise<void>((closed) => server.close(() => closed()));
  };
  await start();
  const issuer = `https://127.0.0.1:${port}`;
  const files = { authorities: file('ca.pem', authority.pem), clientSecret: file('secret', `${SECRET}\n`) };
  const provider: TestProvider = {
    issuer,
    authority,
    accounts,
    requested,
    claims: undefined,
    stuckAt: undefined,
    directory: (label, difference = {}) => ({
      ...{ label, kind: 'oidc', issuer, clientId: 'tessera', ...files, addresses: ['127.0.0.1'] },
      ...{ name: 'Example Corp', scopes: SCOPES, claims: { userName: 'preferred_username', groups: 'groups' } },
      ...difference,
    }),
    serve: (serviceUrl, ...labels) => {
      answer = realProvider(issuer, serviceUrl, labels, provider).callback();
    },
    nameAnother: (other) => {
      answer = realProvider(other, 'https://localhost', ['corp'], provider).callback();
    },
    start,
    stop,
    [Symbol.asyncDispose]: stop,
  };
  return provider;
}

function realProvider(issuer: string, serviceUrl: string, labels: readonly string[], test: TestProvider) {
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'tessera',
        client_secret: SECRET,
        redirect_uris: labels.map((label) => `${serviceUrl}/account/provider/${label}`),
        post_logout_redirect_uris: [`${serviceUrl}/account/sign-in?done=signed-out`],
        id_token_signed_response_alg: 'ES256',
      },
    ],
    jwks: { keys: [KEY] },
    cookies: { keys: ['the key of the test'] },
    scopes: SCOPES,
    claims: {
      openid: ['sub', 'tid', 'oid', 'assurance', 'auth_time', '_claim_names'],
      email: ['email', 'email_verified'],
      profile: ['preferred_username'],
      groups: ['groups'],
    },
    pkce: { required: () => true },
    findAccount: (_: unknown, accountId: string) => ({
      accountId,
      claims: async () => ({ sub: accountId, ...test.accounts.get(accountId) }),
    }),
    // Nobody is asked for consent.
    loadExistingGrant: async ({ oidc }: { oidc: { session: { accountId: string } } }) => {
      const grant = new provider.Grant({ accountId: oidc.session.accountId, clientId: 'tessera' });
      grant.addOIDCScope(SCOPES.join(' '));
      await grant.save();
      return grant;
    },
  });
  provider.use(async (context, next) => {
    await next();
    const answer = (context.body ?? {}) as { readonly id_token?: string };
    if (test.claims && answer.id_token !== undefined)
      context.body = { ...answer, id_token: signedAnew(answer.id_token, test.claims) };
  });
  return provider;
}

function signedAnew(token: string, difference: object): string {
  const [header = '', payload = ''] = token.split('.');
  const claims = { ...JSON.parse(Buffer.from(payload, 'base64url').toString()), ...difference };
  const signed = `${header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;
  return `${signed}.${sign('sha256', Buffer.from(signed), { key: SIGNING, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}

/** What a browser does at the provider: follows redirects, and fills in the form as this person. */
export class AtProvider {
  readonly #cookies = new Map<string, string>();
  readonly #provider: TestProvider;

  constructor(provider: TestProvider) {
    this.#provider = provider;
  }

  /** The address at which the browser leaves the provider. */
  async signIn(url: string, login: string): Promise<URL> {
    let at = new URL(url);
    let form: string | undefined;
    while (at.origin === this.#provider.issuer) {
      const { location, text } = await this.#send(at, form);
      form = undefined;
      if (location !== undefined) {
        at = new URL(location, at);
        continue;
      }
      const action = /action="([^"]+)"/.exec(text)?.[1];
      if (!action) throw new Error(`no form at ${at}: ${text.slice(0, 500)}`);
      at = new URL(action, at);
      form = new URLSearchParams({ prompt: 'login', login, password: 'any' }).toString();
    }
    return at;
  }

  async #send(url: URL, form: string | undefined): Promise<{ location: string | undefined; text: string }> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const type = form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' };
    const message = await new Promise<IncomingMessage>((resolve, reject) => {
      const options = { method: form === undefined ? 'GET' : 'POST', headers: { cookie, ...type }, agent: false };
      const sent = request(url, { ...options, ca: this.#provider.authority.pem }, resolve);
      sent.on('error', reject).end(form);
    });
    for (const set of message.headers['set-cookie'] ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      this.#cookies.set(name, value);
    }
    const text = (await message.toArray()).join('');
    return { location: message.headers.location, text };
  }
}
