// Every administrative act that can be done from elsewhere. The admin door, its OpenAPI document, the command line and the
// console are made from these declarations.

import type { Act, ActPorts, Answered, Given } from './acts/act.ts';
import { EVENT_ACTS, NODE_ACTS } from './acts/event.ts';
import { EXPLAIN_ACTS } from './acts/explain.ts';
import { GRANT_ACTS } from './acts/grant.ts';
import { IDENTITY_ACTS } from './acts/identity.ts';
import { INTEGRATION_ACTS } from './acts/integration.ts';
import { ISSUER_ACTS } from './acts/issuer.ts';
import { OBJECT_ACTS } from './acts/object.ts';
import { RESOURCE_SERVER_ACTS } from './acts/resource-server.ts';
import { TOKEN_ISSUER_ACTS } from './acts/token-issuer.ts';
import type { Acted } from './admin.ts';

const DECLARED = {
  ...INTEGRATION_ACTS,
  ...RESOURCE_SERVER_ACTS,
  ...ISSUER_ACTS,
  ...TOKEN_ISSUER_ACTS,
  ...IDENTITY_ACTS,
  ...GRANT_ACTS,
  ...EVENT_ACTS,
  ...EXPLAIN_ACTS,
  ...OBJECT_ACTS,
  ...NODE_ACTS,
};

export type ActName = keyof typeof DECLARED;

/** What each act results in. */
export type Gives = { readonly [A in ActName]: (typeof DECLARED)[A] extends Act<infer T> ? T : never };

export const ACTS: { readonly [A in ActName]: Act<Gives[A]> } = DECLARED;

export function namesOfActs(): ActName[] {
  return Object.keys(ACTS) as ActName[];
}

export function runAct<A extends ActName>(name: A, given: Given, ports: ActPorts): Acted<Answered<Gives[A]>> {
  return ACTS[name].run(given, ports);
}
