import type { Integration } from '../integration.ts';
import { accept, type Outcome, refuse } from '../outcome.ts';
import { isWithin, parseScope, type Scope } from '../scope.ts';

/** Contract 2.2: a request asks for the entire scope of the integration or for a subset of it. */
export function requestedScope(text: string | undefined, integration: Integration): Outcome<Scope> {
  if (!text) return refuse('scope-missing');
  const scope = parseScope(text);
  if (!scope) return refuse('scope-malformed');
  return isWithin(scope, integration.scope) ? accept(scope) : refuse('scope-exceeds-integration');
}
