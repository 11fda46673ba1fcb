// What a refusal declares, once. The token doors have a table of the classes (status and code), and docs/errors.md is written from
// what callers and operators do.
import type { Kind } from '../act.ts';

/** Of the server: the same status at every door. */
export type ServerClass =
  | 'request'
  | 'headers-too-large'
  | 'body-too-large'
  | 'path-unknown'
  | 'method-wrong'
  | 'too-many'
  | 'unavailable'
  | 'fault';

/** Refusals that have the same status and code, at each token door. */
export type RefusalClass =
  | ServerClass
  | 'grant-type'
  | 'response-type'
  | 'client'
  | 'device-flow'
  | 'flow'
  | 'not-allowed'
  | 'misused'
  | 'scope'
  | 'target'
  | 'grant'
  | 'code-expired'
  | 'waiting'
  | 'too-fast'
  | 'denied'
  | 'identity'
  | 'certificate'
  | 'assertion'
  | 'token'
  | 'token-missing'
  | 'resource-server'
  | 'proof'
  | 'nonce'
  | 'cursor-gone';

/** A setting of a form; `enabled` and `keys` have acts of their own. */
export type Setting =
  | 'enabled'
  | 'keys'
  | 'scope'
  | 'flows'
  | 'exchange'
  | 'access'
  | 'mayUseApi'
  | 'integrations'
  | 'rules';

/** Texts are those of docs/errors.md. */
export interface Remedy {
  /** What the caller does, where `says` does not say it. */
  readonly caller?: string;
  readonly operator?: string;
  /** The setting of which thing lets the caller pass. */
  readonly repair?: readonly [Kind, Setting];
  /** People can get it: the status of the page, which has a text for it in every language. */
  readonly page?: number;
}

interface Said extends Remedy {
  /** For programs: constant text, never input, that says what to do next. It may become the reason phrase of HTTP/1.1: ASCII, on one line. */
  readonly says: string;
  /** At one token door, where that says it in other words. */
  readonly authsvc?: string;
  readonly oauth?: string;
}

export interface Declaration<C extends RefusalClass = RefusalClass> extends Said {
  readonly class: C;
}

export type Declared<D> = Readonly<Record<string, D>>;

/** Refusals that are usually of one class. */
export type Group = Declared<Said & { readonly class?: RefusalClass }>;

export function inClass<G extends Group>(usual: RefusalClass, group: G) {
  const declared = Object.entries(group).map(([reason, said]) => [reason, { class: usual, ...said }]);
  return Object.fromEntries(declared) as { readonly [R in keyof G]: Declaration & Pick<G[R], keyof G[R] & 'page'> };
}

export function reasonsOf<R extends string>(declared: Readonly<Record<R, unknown>>): readonly R[] {
  return Object.keys(declared) as R[];
}
