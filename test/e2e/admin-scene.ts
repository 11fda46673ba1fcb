// A service with its admin door, and operators with certificates.
import assert from 'node:assert/strict';
import { createHash, X509Certificate } from 'node:crypto';
import type { Identity, IdentityId } from '../../src/core/identity.ts';
import type { Integration } from '../../src/core/integration.ts';
import type { Proof } from '../../src/core/person.ts';
import { presenter } from '../../src/core/presenter.ts';
import { confirmCode } from '../../src/operations/device/ask-code.ts';
import { identities } from '../../src/store/tables/identities.ts';
import { accepted } from '../node.ts';
import { anIdentity, anIntegration, scopeOf } from '../samples.ts';
import { type PostgresTestDatabase, usedDatabase } from '../store/postgres-database.ts';
import type { Answer, Caller, Question } from './caller.ts';
import { assertDocumented } from './documented-answers.ts';
import { postForm } from './oauth-steps.ts';
import { registryFollows } from './registry-follows.ts';
import { clientId, type SetUp, startService, type TestService } from './service.ts';
import { confirm } from './steps.ts';

const EVERYTHING = 'tessera:read tessera:operate tessera:manage';

const CALLBACK = 'http://127.0.0.1/callback';

const CLI: Partial<Integration> = {
  scope: scopeOf('tessera:read,operate,manage'),
  flows: { device: true, certificate: true, code: { redirectUris: [CALLBACK] } },
  access: { to: 'named', identities: [], groups: ['operators', 'viewers', 'shop-team'] },
};

/** The files admin-…-postgres.test.ts run the same tests on PostgreSQL. */
export const BACK_END = process.env['TEST_ADMIN_STORE'] ?? 'SQLite';

export class AdminScene {
  readonly service: TestService;
  readonly #callers = new Map<string, Caller>();
  readonly #certificates = new Map<string, X509Certificate>();

  readonly #database: PostgresTestDatabase | undefined;

  private constructor(service: TestService, database: PostgresTestDatabase | undefined) {
    this.service = service;
    this.#database = database;
  }

  static async open(setUp: SetUp = {}, backEnd = 'SQLite'): Promise<AdminScene> {
    const database = backEnd === 'PostgreSQL' ? await usedDatabase() : undefined;
    const settings = { ...setUp.settings, ...(database && { store: database.url }) };
    const service = await startService({ signing: 'ES256', ...setUp, settings });
    const scene = new AdminScene(service, database);
    await scene.add('olga', ['operators']);
    await scene.add('vera', ['viewers']);
    await scene.add('shaun', ['shop-team']);
    await service.register(anIntegration({ ...CLI, clientId: clientId('tessera-cli') }));
    await service.register(anIntegration({ ...CLI, clientId: clientId('tessera-jwt'), accessTokenFormat: 'jwt' }));
    await registryFollows();
    return scene;
  }

  async add(userName: string, groups: readonly string[]): Promise<Identity> {
    const id = `local:{0a1b2c3d-0000-4000-8000-${Buffer.from(userName.padEnd(6)).toString('hex')}}` as IdentityId;
    const identity = anIdentity({ id, userName, groups });
    await this.service.put(identities, identity);
    return identity;
  }

  /** With a certificate that names the user; without a name, without a certificate. */
  caller(userName?: string): Caller {
    const known = this.#callers.get(userName ?? '');
    if (known) return known;
    const certificate = userName === undefined ? undefined : this.service.authority.issue({ commonName: userName });
    if (userName !== undefined && certificate) this.#certificates.set(userName, new X509Certificate(certificate.pem));
    const caller = this.service.caller(certificate);
    this.#callers.set(userName ?? '', caller);
    return caller;
  }

  certificateOf(userName: string): X509Certificate {
    this.caller(userName);
    return this.#certificates.get(userName) as X509Certificate;
  }

  async token(userName: string, scope = EVERYTHING, client_id = 'tessera-cli'): Promise<string> {
    const fields = { client_id, scope, grant_type: 'client_credentials' };
    const answer = await postForm(this.caller(userName), '/oauth2/token', fields);
    assert.equal(answer.status, 200, answer.text);
    return String(answer.json['access_token']);
  }

  async tokenByDevice(identity: Identity, scope = EVERYTHING): Promise<string> {
    const client_id = 'tessera-cli';
    const started = await postForm(this.caller(), '/oauth2/device_authorization', { client_id, scope });
    const { device_code = '', user_code = '' } = started.json as Record<string, string>;
    await confirm(this.service, { device_code, user_code }, identity);
    const grant_type = 'urn:ietf:params:oauth:grant-type:device_code';
    const answer = await postForm(this.caller(), '/oauth2/token', { client_id, grant_type, device_code });
    assert.equal(answer.status, 200, answer.text);
    return String(answer.json['access_token']);
  }

  /** By a code that somebody confirms who has signed in so. */
  async tokenByCode(identity: Identity, by: Proof['by']): Promise<string> {
    const { ports } = this.service;
    const [client_id, redirect_uri, code_verifier] = ['tessera-cli', CALLBACK, 'v'.repeat(43)];
    const integration = ports.registry.integration(client_id) ?? assert.fail();
    const client = { integration, redirectUri: redirect_uri };
    const challenge = createHash('sha256').update(code_verifier).digest('base64url');
    const target = { scope: scopeOf('tessera:read,operate,manage'), resource: undefined, challenge };
    const person = { identity, session: 'a session', proof: { by, at: ports.clock.now() } };
    const code = accepted(await confirmCode(client, target, person, presenter('192.0.2.1', ''), ports)).reveal();
    const fields = { client_id, redirect_uri, code_verifier, code, grant_type: 'authorization_code' };
    const answer = await postForm(this.caller(), '/oauth2/token', fields);
    assert.equal(answer.status, 200, answer.text);
    return String(answer.json['access_token']);
  }

  async ask(token: string | undefined, method: string, path: string, more: Asked = {}): Promise<Answer> {
    const { body, headers = {} } = more;
    const question: Question = {
      method,
      path: `/admin/v1${path}`,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    };
    const answer = await this.caller().ask(question);
    assertDocumented(method, path, answer);
    return answer;
  }

  async close(): Promise<void> {
    await this.service.stop();
    await this.#database?.remove();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

interface Asked {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}
