// Every table but the event log, which back ends handle by itself.
import type { AnyTable } from './table.ts';
import { assertions } from './tables/assertions.ts';
import { attempts } from './tables/attempts.ts';
import { devices } from './tables/devices.ts';
import { endedLists } from './tables/ended-lists.ts';
import { figures } from './tables/figures.ts';
import { grants } from './tables/grants.ts';
import { identities } from './tables/identities.ts';
import { integrations } from './tables/integrations.ts';
import { issuers } from './tables/issuers.ts';
import { keyMarks } from './tables/key-marks.ts';
import { keySets } from './tables/key-sets.ts';
import { leases } from './tables/leases.ts';
import { listContents } from './tables/list-contents.ts';
import { nodes } from './tables/nodes.ts';
import { passkeys } from './tables/passkeys.ts';
import { passwords } from './tables/passwords.ts';
import { pushedGroups } from './tables/pushed-groups.ts';
import { refusalCounts } from './tables/refusal-counts.ts';
import { resourceServers } from './tables/resource-servers.ts';
import { revocationLists } from './tables/revocation-lists.ts';
import { serviceTimes } from './tables/service-times.ts';
import { sessions } from './tables/sessions.ts';
import { signingKeys } from './tables/signing-keys.ts';
import { storeHistory } from './tables/store-history.ts';
import { tokenIssuers } from './tables/token-issuers.ts';

/** What a move copies to another store. Tables that others refer to come first. */
export const MOVED: readonly AnyTable[] = [
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
];
/** What nodes write again by themselves: a move leaves it behind. */
const REBUILT: readonly AnyTable[] = [
  nodes,
  leases,
  endedLists,
  revocationLists,
  listContents,
  keySets,
  figures,
  refusalCounts,
];

export const TABLES: readonly AnyTable[] = [...MOVED, ...REBUILT];

/** Rows or events that a move copies in one step. */
export const STEP = 500;
