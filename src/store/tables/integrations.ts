import type { ClientId, Integration } from '../../core/integration.ts';
import { parseScope } from '../../core/scope.ts';
import type { Table } from '../table.ts';

export const integrations: Table<Integration> = {
  name: 'integrations',
  columns: [
    { name: 'client_id', kind: 'text', fixed: true, of: ({ clientId }) => clientId },
    { name: 'body', kind: 'json', of: integrationBody },
  ],
  keyOf: ({ clientId }) => clientId,
  encodeKey: (clientId) => clientId,
  decode: ([clientId, body]) => {
    const { scope: text, ...rest } = JSON.parse(body as string);
    const scope = parseScope(text);
    if (!scope) throw new Error(`the integration ${clientId} has a malformed scope in the store`);
    return { clientId: clientId as ClientId, scope, ...rest };
  },
};

/** All but the key, which has a column of its own. */
function integrationBody(integration: Integration): string {
  return JSON.stringify({ ...integration, clientId: undefined, scope: integration.scope.text });
}
