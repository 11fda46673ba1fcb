// Scope as OAuth writes it (RFC 6749 3.3): a list separated by spaces. Each item is one entry of our own grammar.
import { accept, type Outcome, refuse } from '../../core/outcome.ts';
import { parseScope, scopeItems } from '../../core/scope.ts';

/** The list in our own grammar, not parsed yet. */
export function readScopeList(list: string): Outcome<string> {
  const items = list.split(' ').filter(Boolean);
  if (items.length === 0 || list.includes(';')) return refuse('scope-malformed');
  return accept(items.join(';'));
}

/** Each permission by itself, sorted. */
export function writeScopeList(text: string): string {
  const scope = parseScope(text);
  if (!scope) throw new Error('a grant has a scope that does not parse');
  return scopeItems(scope).join(' ');
}
