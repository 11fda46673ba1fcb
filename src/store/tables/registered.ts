import type { EndingKind } from '../../core/act.ts';
import type { RowOf } from '../../core/rules/endings.ts';
import type { Table } from '../table.ts';
import { identities } from './identities.ts';
import { integrations } from './integrations.ts';
import { issuers } from './issuers.ts';
import { keyMarks } from './key-marks.ts';
import { passkeys } from './passkeys.ts';
import { resourceServers } from './resource-servers.ts';
import { signingKeys } from './signing-keys.ts';
import { tokenIssuers } from './token-issuers.ts';

/** The table of each kind of registered thing. */
export const REGISTERED: { readonly [K in EndingKind]: Table<RowOf[K]> } = {
  identity: identities,
  passkey: passkeys,
  integration: integrations,
  issuer: issuers,
  'token-issuer': tokenIssuers,
  'resource-server': resourceServers,
  'signing-key': signingKeys,
  key: keyMarks,
};
