// A program that asks for an authorization code with PKCE, and redeems it.
import { createHash, randomBytes } from 'node:crypto';
import type { ClientId } from '../../../src/core/integration.ts';
import { anIntegration, scopeOf } from '../../samples.ts';
import type { RunningService } from './running-service.ts';
import { type Seen, Visitor } from './visitor.ts';

export const AGENT = anIntegration({
  clientId: 'coder' as ClientId,
  name: 'Coder',
  scope: scopeOf('orders:read,write;stock:read'),
  flows: {
    device: true,
    certificate: false,
    code: {
      redirectUris: ['http://127.0.0.1/callback', 'http://[::1]/callback', 'https://app.example/back?from=tessera'],
    },
  },
});
export const CALLBACK = 'http://127.0.0.1:43210/callback';

type Fields = Readonly<Record<string, string>>;

export class Program {
  readonly verifier = randomBytes(32).toString('base64url');
  readonly state = randomBytes(8).toString('hex');
  readonly #service: Pick<RunningService, 'url' | 'authority'>;
  readonly clientId: string;
  readonly redirectUri: string;

  constructor(service: Pick<RunningService, 'url' | 'authority'>, redirectUri = CALLBACK, clientId = 'coder') {
    this.#service = service;
    this.redirectUri = redirectUri;
    this.clientId = clientId;
  }

  /** Where it sends the person. */
  path(difference: Readonly<Record<string, string | undefined>> = {}): string {
    const all = {
      response_type: 'code',
      client_id: this.clientId,
      redirect_uri: this.redirectUri,
      code_challenge: createHash('sha256').update(this.verifier).digest('base64url'),
      code_challenge_method: 'S256',
      state: this.state,
      scope: 'orders:read',
      ...difference,
    };
    const given = Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined);
    return `/oauth2/authorize?${new URLSearchParams(given)}`;
  }

  /** What the redirect carries after the person has decided. */
  async decided(person: Visitor, decision = 'confirm', path = this.path()): Promise<URLSearchParams> {
    const { text } = await person.get(path);
    const answer = await person.post('/oauth2/authorize', decisionOf(text, decision));
    return new URL(answer.headers.location ?? `missing:${answer.status}`).searchParams;
  }

  redeem(code: string | null, difference: Fields = {}): Promise<Seen> {
    const { clientId: client_id, redirectUri: redirect_uri, verifier: code_verifier } = this;
    const own = { client_id, redirect_uri, code_verifier, code: code ?? '' };
    return this.ask('/oauth2/token', { grant_type: 'authorization_code', ...own, ...difference });
  }

  refresh(refresh_token: string, difference: Fields = {}): Promise<Seen> {
    const { clientId: client_id } = this;
    return this.ask('/oauth2/token', { grant_type: 'refresh_token', client_id, refresh_token, ...difference });
  }

  ask(path: string, fields: Fields): Promise<Seen> {
    return new Visitor(this.#service).post(path, fields);
  }
}

/** The fields of one of the two forms on the page. */
export function decisionOf(page: string, decision: string): Fields {
  const [, request = ''] = /name="request" value="([^"]*)"/.exec(page) ?? [];
  const [, shown_at = ''] = /name="shown_at" value="([^"]*)"/.exec(page) ?? [];
  return { request: request.replaceAll('&amp;', '&').replaceAll('&#39;', "'"), shown_at, decision };
}

export function jsonOf({ text }: Seen): Record<string, string> {
  return JSON.parse(text) as Record<string, string>;
}
