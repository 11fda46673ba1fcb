// Every table but the event log, which back ends handle by itself.
import type { AnyTable } from './table.ts';
import { devices } from './tables/devices.ts';
import { grants } from './tables/grants.ts';
import { identities } from './tables/identities.ts';
import { listContents, revocationLists } from './tables/lists.ts';
import { nodes } from './tables/nodes.ts';
import { integrations, issuers, keyMarks, resourceServers } from './tables/registry.ts';
import { serviceTimes } from './tables/service-times.ts';
import { attempts, passwords, sessions } from './tables/sign-in.ts';
import { signingKeys } from './tables/signing-keys.ts';
import { storeHistory } from './tables/store-history.ts';
import { assertions, keySets, tokenIssuers } from './tables/token-issuers.ts';
import { endedLists, leases } from './tables/upkeep.ts';

/** What a move copies to another store. Tables that others refer to come first. */
export const MOVED: readonly AnyTable[] = [
  identities,
  passwords,
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
const REBUILT: readonly AnyTable[] = [nodes, leases, endedLists, revocationLists, listContents, keySets];

export const TABLES: readonly AnyTable[] = [...MOVED, ...REBUILT];

/** Rows or events that a move copies in one step. */
export const STEP = 500;
