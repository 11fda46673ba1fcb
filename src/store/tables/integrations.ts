import type { Integration } from '../../core/integration.ts';
import { isOpaqueItem, parseScope } from '../../core/scope.ts';
import { registeredTable } from '../table.ts';

export const integrations = registeredTable<Integration>(
  'integrations',
  ['clientId', 'client_id'],
  storedIntegration,
  ({ scope: text, ...rest }, clientId) => {
    const { added = {}, ...flows } = rest.flows;
    const { opaqueScope = [], flows: own = flows, ...more } = added;
    const plain = text === ONLY_OPAQUE && opaqueScope.length > 0 ? [] : [text];
    const scope = parseScope([...plain, ...opaqueScope].join(';'));
    if (!scope) throw new Error(`the integration ${clientId} has a malformed scope in the store`);
    return { scope, ...rest, flows: own, ...more };
  },
);

const NO_FLOWS = { device: false, certificate: false };
/** A scope for releases before 0.3, which do not read opaque items. */
const ONLY_OPAQUE = 'opaque';

/**
 * What 0.3 added is stored below `flows`: `integration change` of 0.2 keeps that, and drops other members that it does not know. Of an
 * integration that needs DPoP, it sees that all is off.
 */
function storedIntegration(integration: Integration) {
  const { keys, tokenEndpointAudience, secrets, secretAddresses, publicEnterprise, resourceServer, exchange, ...rest } =
    integration;
  const entries = rest.scope.text.split(';').filter(Boolean);
  const [opaque, plain] = [entries.filter(isOpaqueItem), entries.filter((entry) => !isOpaqueItem(entry))];
  const isDpop = rest.binding === 'dpop';
  const added = {
    ...{ keys, tokenEndpointAudience, secrets, secretAddresses, publicEnterprise, resourceServer, exchange },
    ...(opaque.length > 0 && { opaqueScope: opaque }),
    ...(isDpop && { binding: 'dpop', flows: rest.flows }),
  };
  const hasAdded = Object.values(added).some((value) => value !== undefined);
  return {
    ...rest,
    ...(isDpop && { binding: 'certificate' }),
    flows: { ...(isDpop ? NO_FLOWS : rest.flows), ...(hasAdded && { added }) },
    scope: opaque.length === 0 ? rest.scope.text : plain.join(';') || ONLY_OPAQUE,
  };
}
