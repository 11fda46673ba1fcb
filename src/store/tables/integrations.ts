import type { Hex } from '../../core/hex.ts';
import { type ClientKeys, type ClientSecret, hasProofs, type Integration } from '../../core/integration.ts';
import { parseScope } from '../../core/scope.ts';
import { epochSeconds } from '../../core/time.ts';
import { registeredTable } from '../table.ts';

export const integrations = registeredTable<Integration>(
  'integrations',
  ['clientId', 'client_id'],
  storedIntegration,
  readIntegration,
);

/** The same rows, and whether they say of themselves that they are confidential. */
export const markedIntegrations = registeredTable<Integration & { readonly isMarked: boolean }>(
  'integrations',
  ['clientId', 'client_id'],
  (row) => {
    const { isMarked: _, ...integration } = row;
    return storedIntegration(integration);
  },
  (stored, clientId) => ({
    ...readIntegration(stored, clientId),
    isMarked: stored.flows.added?.secrets?.some(isMark) === true,
  }),
);

/**
 * How it is stored that an integration is confidential: 0.3.0 to 0.3.3 keep a secret that ended long ago, whatever they change, and
 * refuse a bare client id where there is a key set. A member of its own they would show, and then refuse when it is sent back.
 */
const SECRET_BEFORE_ALL: ClientSecret = {
  hash: '0'.repeat(64) as Hex,
  createdAt: epochSeconds(0),
  endsAt: epochSeconds(0),
};
const NO_KEYS = { from: 'file', set: '{"keys":[]}' } as const satisfies ClientKeys;

/** What 0.3.0 to 0.3.4 write for a scope that has opaque items only; these are in `opaqueScope`. */
const ONLY_OPAQUE = 'opaque';

const isMark = ({ endsAt }: ClientSecret) => endsAt === SECRET_BEFORE_ALL.endsAt;

function readIntegration({ scope: text, ...rest }: ReturnType<typeof JSON.parse>, clientId: string): object {
  const { added = {}, ...flows } = rest.flows;
  const { opaqueScope = [], flows: own = flows, keys, secrets = [], ...more } = added;
  const plain = text === ONLY_OPAQUE && opaqueScope.length > 0 ? [] : [text];
  const scope = parseScope([...plain, ...opaqueScope].join(';'));
  if (!scope) throw new Error(`the integration ${clientId} has a malformed scope in the store`);
  const confidential = hasProofs({ keys, secrets, flows: own });
  const made = secrets.filter((secret: ClientSecret) => !isMark(secret));
  const hasSecrets = made.length > 0 || own.secret;
  const proofs = { ...(keys && keys.set !== NO_KEYS.set && { keys }), ...(hasSecrets && { secrets: made }) };
  return { scope, ...rest, confidential, flows: own, ...proofs, ...more };
}

/** Keys and secrets are below `flows`: 0.3.4 looks for them only there, and takes an integration without them for a public one. */
function storedIntegration({ confidential, keys, secrets, ...rest }: Integration) {
  const proofs = confidential
    ? { keys: keys ?? NO_KEYS, secrets: [SECRET_BEFORE_ALL, ...(secrets ?? [])] }
    : { keys, secrets };
  const added = (proofs.keys || proofs.secrets) && { added: proofs };
  return { ...rest, scope: rest.scope.text, flows: { ...rest.flows, ...added } };
}
