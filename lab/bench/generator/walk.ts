// The requests of one connection, in order. A walk checks every response: refusals instead of tokens would make the load
// meaningless.

export type WalkSpec =
  /** The same request again and again; `includes`: a text that every response must have. */
  | { readonly kind: 'same'; readonly request: string; readonly status: number; readonly includes?: string }
  /** Walks the chain of one grant: every request is a real rotation. */
  | { readonly kind: 'chain'; readonly form: ChainForm; readonly token: string }
  /** Each request spends one of many access tokens. */
  | { readonly kind: 'spend'; readonly head: string; readonly tokens: readonly string[] }
  /** One of several walks at a time, in a fixed order that repeats. */
  | { readonly kind: 'mixed'; readonly walks: readonly WalkSpec[]; readonly order: readonly number[] };

/** How a refresh request of a contestant looks: its head, and the text around the token in the body. */
export interface ChainForm {
  readonly head: string;
  readonly before: string;
  readonly after: string;
}

export interface Walk {
  next(): string;
  /** Throws if the response is not the expected one. */
  heard(status: number, body: string): void;
  /** The state of this walk's chains. */
  readonly chains: readonly ChainReport[];
}

export interface ChainReport {
  readonly rotations: number;
  readonly refreshToken: string;
  readonly accessToken: string;
  /** A sample of refresh tokens spent long ago. */
  readonly spent: readonly string[];
}

export function makeWalk(spec: WalkSpec): Walk {
  switch (spec.kind) {
    case 'same':
      return sameWalk(spec.request, spec.status, spec.includes);
    case 'chain':
      return new ChainWalk(spec.form, spec.token);
    case 'spend':
      return spendWalk(spec.head, spec.tokens);
    case 'mixed':
      return mixedWalk(spec.walks.map(makeWalk), spec.order);
  }
}

export function post(path: string, contentType: string, body: string): string {
  return `${postHead(path, contentType)}${body.length}\r\n\r\n${body}`;
}

/** Up to and including the name of the last header, Content-Length. */
export function postHead(path: string, contentType: string): string {
  return `POST ${path} HTTP/1.1\r\nHost: localhost\r\nUser-Agent: bench/1\r\nContent-Type: ${contentType}\r\nContent-Length: `;
}

export function getHead(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: localhost\r\nUser-Agent: bench/1\r\nAuthorization: Bearer `;
}

function sameWalk(request: string, expected: number, includes = ''): Walk {
  const heard = (status: number, body: string) => {
    expectStatus(status, expected, body);
    if (!body.includes(includes)) throw new Error(`expected ${includes}, was answered ${body.slice(0, 300)}`);
  };
  return { next: () => request, heard, chains: [] };
}

function spendWalk(head: string, tokens: readonly string[]): Walk {
  let used = 0;
  return {
    next: () => {
      const token = tokens[used++];
      if (token === undefined) throw new Error(`a walk spent its ${tokens.length} tokens: seed more`);
      return `${head}${token}\r\n\r\n`;
    },
    heard: (status, body) => expectStatus(status, 200, body),
    chains: [],
  };
}

function mixedWalk(walks: readonly Walk[], order: readonly number[]): Walk {
  let at = 0;
  let current = walks[0] as Walk;
  return {
    next: () => {
      current = walks[order[at++ % order.length] as number] as Walk;
      return current.next();
    },
    heard: (status, body) => current.heard(status, body),
    get chains() {
      return walks.flatMap((walk) => walk.chains);
    },
  };
}

/** One of this many spent tokens is kept for the proof. */
const SAMPLE_EVERY = 97;
const SAMPLE_MOST = 8;

class ChainWalk implements Walk {
  readonly #form: ChainForm;
  readonly #spent: string[] = [];
  #token: string;
  #before = '';
  #accessToken = '';
  #rotations = 0;

  constructor(form: ChainForm, token: string) {
    this.#form = form;
    this.#token = token;
  }

  next(): string {
    const { head, before, after } = this.#form;
    const token = this.#token;
    return `${head}${before.length + token.length + after.length}\r\n\r\n${before}${token}${after}`;
  }

  heard(status: number, body: string): void {
    expectStatus(status, 200, body);
    const token = textOf(body, 'refresh_token');
    this.#accessToken = textOf(body, 'access_token');
    if (token === this.#token) throw new Error('a refresh was answered with the token it presented');
    this.#sample(this.#before);
    this.#before = this.#token;
    this.#token = token;
    this.#rotations += 1;
  }

  get chains(): readonly ChainReport[] {
    const [rotations, refreshToken, accessToken, spent] = [
      this.#rotations,
      this.#token,
      this.#accessToken,
      this.#spent,
    ];
    return [{ rotations, refreshToken, accessToken, spent }];
  }

  #sample(token: string): void {
    if (token === '' || this.#rotations % SAMPLE_EVERY !== 1) return;
    if (this.#spent.length === SAMPLE_MOST) this.#spent.shift();
    this.#spent.push(token);
  }
}

function expectStatus(status: number, expected: number, body: string): void {
  if (status !== expected) throw new Error(`expected ${expected}, was answered ${status}: ${body.slice(0, 300)}`);
}

/** A text field of a JSON object, without parsing the rest of it. */
function textOf(json: string, name: string): string {
  const from = json.indexOf(`"${name}":"`) + name.length + 4;
  return json.slice(from, json.indexOf('"', from));
}
