import type { EpochSeconds } from '../../core/time.ts';
import type { Answered, Given } from '../../operations/admin/acts/act.ts';
import type { ActName, Gives } from '../../operations/admin/acts.ts';
import type { Acted } from '../../operations/admin/admin.ts';
import { accepted } from '../terminal/wording.ts';

/** Where the acts of a command are done: beside the store, or at a service. */
export interface Administration {
  readonly attempt: <A extends ActName>(name: A, given?: Given, dryRun?: DryRun) => Acted<Answered<Gives[A]>>;
  /** What an act gives. A refusal ends the command. */
  readonly act: <A extends ActName>(name: A, given?: Given, dryRun?: DryRun) => Promise<Gives[A]>;
}

/** What a dry run judges by, beside the store only: a service judges by its own clock and its own lists. */
export interface DryRun {
  readonly at?: EpochSeconds | undefined;
  /** Files with revocation lists. */
  readonly crl?: readonly string[] | undefined;
}

export function administrationBy(attempt: Administration['attempt']): Administration {
  return { attempt, act: async (...given) => accepted(await attempt(...given)).value };
}

export interface ServerFlags {
  readonly server?: string;
  /** The profile of `tessera login`. */
  readonly login?: string;
}
