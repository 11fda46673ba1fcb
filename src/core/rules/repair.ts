// What lets a refused caller pass: which setting of which thing, and which change of it came last.
import { type Act, type Kind, lifeOf } from '../act.ts';
import { type ClaimedCaller, DECLARED, isReason } from '../refusal.ts';
import type { Setting } from '../refusals/declaration.ts';
import type { EpochSeconds } from '../time.ts';

/** Other refusals are repaired by the caller, or outside of the service. `setting`: `enabled` and `keys` have acts of their own. */
export interface Repair {
  readonly kind: Kind;
  readonly setting: Setting;
}

export function repairOf(reason: string): Repair | undefined {
  const [kind, setting] = (isReason(reason) && DECLARED[reason].repair) || [];
  return kind && setting && { kind, setting };
}

interface Refused {
  readonly reason: string;
  /** Empty: unknown. */
  readonly clientId: string;
  readonly identityId: string;
  readonly claimed?: Pick<ClaimedCaller, 'label'> | undefined;
  readonly last: EpochSeconds;
}

interface Change {
  readonly at: EpochSeconds;
  readonly detail: Act;
}

/** The thing that a refusal depends on, if it is known which one. */
export function idBehind({ clientId, identityId, claimed }: Omit<Refused, 'last'>, { kind }: Repair): string {
  if (kind === 'integration') return clientId;
  return kind === 'identity' ? identityId : (claimed?.label ?? '');
}

/** The newest change of what a refusal depends on. */
export function lastChangeBehind<C extends Change>(refused: Refused, newestFirst: readonly C[]): C | undefined {
  const needed = repairOf(refused.reason);
  if (!needed) return undefined;
  const id = idBehind(refused, needed);
  return newestFirst.find(({ detail }) => detail.kind === needed.kind && detail.id === id && sets(detail, needed));
}

/** Whether it made or ended the thing, or changed this setting. */
function sets(act: Act, { setting }: Repair): boolean {
  return 'changed' in act ? setting in act.changed : lifeOf(act) !== 'changes';
}

/** Whether nobody was refused since that change. Nodes learn of it within a second: who was refused meanwhile counts, but not where it enabled the thing. */
export function isBeforeChange({ reason, last }: Refused, change: Change | undefined): boolean {
  if (!change) return false;
  const isRepair = repairOf(reason)?.setting === 'enabled' && lifeOf(change.detail) === 'opens';
  return last < change.at + (isRepair ? 2 : 0);
}
