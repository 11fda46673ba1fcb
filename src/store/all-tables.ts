// Every table but the event log, which back ends handle by itself.
import type { AnyTable } from './table.ts';
import { devices } from './tables/devices.ts';
import { grants } from './tables/grants.ts';
import { identities } from './tables/identities.ts';
import { listContents, revocationLists } from './tables/lists.ts';
import { nodes } from './tables/nodes.ts';
import { integrations, issuers, keyMarks } from './tables/registry.ts';
import { serviceTimes } from './tables/service-times.ts';
import { attempts, passwords, sessions } from './tables/sign-in.ts';
import { storeHistory } from './tables/store-history.ts';
import { endedLists, leases } from './tables/upkeep.ts';

/** What a move copies to another store. Tables that others refer to come first. */
export const MOVED: readonly AnyTable[] = [
  identities,
  passwords,
  integrations,
  issuers,
  keyMarks,
  grants,
  devices,
  sessions,
  attempts,
  serviceTimes,
  storeHistory,
];
/** What nodes write again by themselves: a move leaves it behind. */
const REBUILT: readonly AnyTable[] = [nodes, leases, endedLists, revocationLists, listContents];

export const TABLES: readonly AnyTable[] = [...MOVED, ...REBUILT];

/** Rows or events that a move copies in one step. */
export const STEP = 500;
