// Scope as OAuth writes it (RFC 6749 3.3): a list separated by spaces. Each item is one entry of our own grammar.
import type { Integration } from '../../core/integration.ts';
import { accept, type Outcome, refuse } from '../../core/outcome.ts';
import { parseScope, scopeItems } from '../../core/scope.ts';

/** What libraries for OpenID Connect send by themselves. Ignored, unless the integration has a resource of this name. */
const OF_OPENID = new Set(['openid', 'offline_access', 'profile', 'email', 'address', 'phone']);

/** The list in our own grammar, not parsed yet. Undefined if nothing is left of it: as if it were absent. */
export function readScopeList(list: string, integration: Integration | undefined): Outcome<string | undefined> {
  const items = list.split(' ').filter(Boolean);
  if (items.length === 0 || list.includes(';')) return refuse('scope-malformed');
  const isMeant = (item: string) => !OF_OPENID.has(item) || integration?.scope.resources.has(item);
  return accept(items.filter(isMeant).join(';') || undefined);
}

/** Each permission by itself, sorted. */
export function writeScopeList(text: string): string {
  const scope = parseScope(text);
  if (!scope) throw new Error('a grant has a scope that does not parse');
  return scopeItems(scope).join(' ');
}
