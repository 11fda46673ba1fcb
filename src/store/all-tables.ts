// Every table but the event log, which back ends handle by itself.

import type { EndingKind } from '../core/act.ts';
import type { RowOf } from '../core/rules/endings.ts';
import type { AnyTable, Table } from './table.ts';
import { assertions, attempts } from './tables/attempts.ts';
import { devices } from './tables/devices.ts';
import { figures, refusalCounts } from './tables/figures.ts';
import { grants } from './tables/grants.ts';
import { identities, passkeys, passwords, pushedGroups } from './tables/identities.ts';
import { integrations } from './tables/integrations.ts';
import { issuers } from './tables/issuers.ts';
import { endedLists, leases, nodes } from './tables/leases.ts';
import { resourceServers } from './tables/resource-servers.ts';
import { keySets, listContents, revocationLists } from './tables/revocation-lists.ts';
import { serviceTimes } from './tables/service-times.ts';
import { sessions } from './tables/sessions.ts';
import { keyMarks, signingKeys } from './tables/signing-keys.ts';
import { storeHistory } from './tables/store-history.ts';
import { tokenIssuers } from './tables/token-issuers.ts';

/** Tables that others refer to come first. */
export const TABLES: readonly AnyTable[] = [
  identities,
  passwords,
  pushedGroups,
  passkeys,
  integrations,
  issuers,
  resourceServers,
  tokenIssuers,
  keyMarks,
  signingKeys,
  grants,
  devices,
  sessions,
  attempts,
  assertions,
  serviceTimes,
  storeHistory,
  nodes,
  leases,
  endedLists,
  revocationLists,
  listContents,
  keySets,
  figures,
  refusalCounts,
];

/** What a move copies to another store. */
export const MOVED: readonly AnyTable[] = TABLES.filter(({ isRebuilt }) => !isRebuilt);

/** Rows or events that a move copies in one step. */
export const STEP = 500;

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
