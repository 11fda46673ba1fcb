// A browser reduced to what the server sees of it: requests, cookies and the forms of the last page. For claims about
// what goes over the wire, where a real browser would only be slower.
import type { IncomingHttpHeaders } from 'node:http';
import { request } from 'node:https';
import { PASSWORD, type RunningService } from './running-service.ts';

export interface Seen {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export const SESSION_COOKIE = '__Host-tessera';
export const KNOWN_COOKIE = '__Host-tessera-known';

type Fields = Readonly<Record<string, string>>;

type VisitedService = Pick<RunningService, 'url' | 'authority'> & Partial<Pick<RunningService, 'agent'>>;

export class Visitor {
  readonly cookies = new Map<string, string>();
  readonly #service: VisitedService;
  readonly #headers: Fields;
  /** The form token of the last page with a form. */
  formToken = '';

  /** A client certificate. */
  readonly #tls: { readonly cert?: string; readonly key?: string };

  constructor(service: VisitedService, headers: Fields = {}, tls = {}) {
    this.#service = service;
    this.#headers = headers;
    this.#tls = tls;
  }

  get(path: string, headers: Fields = {}): Promise<Seen> {
    return this.#send('GET', path, undefined, headers);
  }

  head(path: string): Promise<Seen> {
    return this.#send('HEAD', path, undefined, {});
  }

  /** Sends a form with the token of the last page, unless the fields say otherwise. */
  post(path: string, fields: Fields = {}, headers: Fields = {}): Promise<Seen> {
    const body = new URLSearchParams({ form_token: this.formToken, ...fields }).toString();
    return this.#send('POST', path, body, { 'content-type': 'application/x-www-form-urlencoded', ...headers });
  }

  async signIn(userName = 'ada', password = PASSWORD, fields: Fields = {}): Promise<Seen> {
    await this.get('/account/sign-in');
    return this.post('/account/sign-in', { user_name: userName, password, ...fields });
  }

  /** Enters a code and goes to the confirmation page; returns its path. */
  async enterCode(code: string): Promise<string> {
    await this.get('/device');
    const { headers } = await this.post('/device', { user_code: code });
    const path = headers.location ?? '';
    await this.get(path);
    return path;
  }

  #send(method: string, path: string, body: string | undefined, extra: Fields): Promise<Seen> {
    const { hostname, port } = new URL(this.#service.url);
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...this.#headers, ...(cookie && { cookie }), ...extra };
    return new Promise((resolve, reject) => {
      const { authority: ca, agent = false } = this.#service;
      const sent = request({ hostname, port, path, method, headers, ca, agent, ...this.#tls }, (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (part) => {
          text += part;
        });
        answer.on('end', () => {
          this.#remember(answer.headers['set-cookie'] ?? [], text);
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text });
        });
      });
      sent.on('error', reject).end(body);
    });
  }

  #remember(cookies: readonly string[], text: string): void {
    for (const cookie of cookies) {
      const [pair = '', ...attributes] = cookie.split('; ');
      const [name = '', value = ''] = pair.split('=');
      if (attributes.includes('Max-Age=0')) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    this.formToken = /name="form_token" value="([^"]+)"/.exec(text)?.[1] ?? this.formToken;
  }
}

export async function signedIn(service: RunningService, userName = 'ada'): Promise<Visitor> {
  const visitor = new Visitor(service);
  const { status } = await visitor.signIn(userName);
  if (status !== 303) throw new Error(`${userName} could not sign in: ${status}`);
  return visitor;
}
