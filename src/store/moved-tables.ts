import type { AnyTable } from './table.ts';
import { devices } from './tables/devices.ts';
import { grants } from './tables/grants.ts';
import { identities } from './tables/identities.ts';
import { integrations, issuers, keyMarks } from './tables/registry.ts';
import { serviceTimes } from './tables/service-times.ts';
import { attempts, passwords, sessions } from './tables/sign-in.ts';

/** Rows that others refer to come first. Revocation lists are left out: they can be fetched again. */
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
];
/** Rows and events in one step. */
export const STEP = 500;
