import { type Outcome, refuse } from '../../core/outcome.ts';
import type { RefusalReason } from '../../core/refusal.ts';
import { requestedTarget } from '../../core/rules/scope.ts';
import { parseScope, scopeItems } from '../../core/scope.ts';
import type { Registry } from '../ports.ts';

export interface ScopeExplanation {
  /** Of the integration. */
  readonly scope?: string;
  readonly items: readonly { readonly item: string; readonly has: boolean }[];
  readonly refusal?: RefusalReason;
}

/** Which parts of a scope an integration has, and what a request for it would be told. */
export function explainScope(clientId: string, wanted: string, registry: Registry): ScopeExplanation {
  const integration = registry.integration(clientId);
  if (!integration) return { items: [], refusal: 'integration-unknown' };
  const outcome: Outcome<unknown> = integration.enabled
    ? requestedTarget({ scope: wanted }, integration, [])
    : refuse('integration-disabled');
  const allowed = new Set(scopeItems(integration.scope));
  const resources = new Set(integration.scope.resources.keys());
  const scope = parseScope(wanted);
  const items = (scope ? scopeItems(scope) : []).map((item) => ({
    item,
    has: allowed.has(item) || (!item.includes(':') && resources.has(item)),
  }));
  return { scope: integration.scope.text, items, ...(!outcome.ok && { refusal: outcome.refusal.reason }) };
}
