// What lets a refused caller pass: which setting of which thing, and which change of it came last.
import { type Act, type Kind, lifeOf } from '../act.ts';
import type { ClaimedCaller, RefusalReason } from '../refusal.ts';
import type { EpochSeconds } from '../time.ts';

/** The kind of the thing, and a setting of its form. Other refusals are repaired by the caller, or outside of the service. */
const REPAIRS = {
  'integration-disabled': ['integration', 'enabled'],
  'scope-exceeds-integration': ['integration', 'scope'],
  'scope-no-longer-allowed': ['integration', 'scope'],
  'device-flow-disabled': ['integration', 'flows'],
  'certificate-flow-disabled': ['integration', 'flows'],
  'assertion-flow-disabled': ['integration', 'flows'],
  'client-unproven': ['integration', 'keys'],
  'exchange-not-allowed': ['integration', 'exchange'],
  'identity-without-integration-access': ['integration', 'access'],
  'identity-disabled': ['identity', 'enabled'],
  'identity-without-api-access': ['identity', 'mayUseApi'],
  'certificate-issuer-not-approved': ['issuer', 'enabled'],
  'issuer-not-for-integration': ['issuer', 'integrations'],
  'assertion-issuer-unknown': ['token-issuer', 'enabled'],
  'token-issuer-not-for-integration': ['token-issuer', 'rules'],
} as const satisfies Partial<Record<RefusalReason, readonly [Kind, string]>>;

type Row = (typeof REPAIRS)[keyof typeof REPAIRS];

/** `setting`: `enabled` and `keys` have acts of their own. */
export interface Repair {
  readonly kind: Row[0];
  readonly setting: Row[1];
}

export function repairOf(reason: string): Repair | undefined {
  if (!Object.hasOwn(REPAIRS, reason)) return undefined;
  const [kind, setting] = REPAIRS[reason as keyof typeof REPAIRS];
  return { kind, setting };
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
