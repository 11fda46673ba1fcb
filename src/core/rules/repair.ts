// What lets a refused caller pass: which setting of which thing, and which change of it came last.
import { type Act, lifeOf } from '../act.ts';
import type { ClaimedCaller, RefusalReason } from '../refusal.ts';
import type { EpochSeconds } from '../time.ts';

/** `kind`: of the thing. `setting`: of its form; `enabled` and `keys` have acts of their own. */
export interface Repair {
  readonly kind: 'integration' | 'identity' | 'issuer' | 'token-issuer';
  readonly setting:
    | 'enabled'
    | 'scope'
    | 'flows'
    | 'access'
    | 'exchange'
    | 'mayUseApi'
    | 'integrations'
    | 'rules'
    | 'keys';
}

function repair(kind: Repair['kind'], setting: Repair['setting']): Repair {
  return { kind, setting };
}

/** Other refusals are repaired by the caller, or outside of the service. */
const REPAIRS: Partial<Record<RefusalReason, Repair>> = {
  'integration-disabled': repair('integration', 'enabled'),
  'scope-exceeds-integration': repair('integration', 'scope'),
  'scope-no-longer-allowed': repair('integration', 'scope'),
  'device-flow-disabled': repair('integration', 'flows'),
  'certificate-flow-disabled': repair('integration', 'flows'),
  'assertion-flow-disabled': repair('integration', 'flows'),
  'client-unproven': repair('integration', 'keys'),
  'exchange-not-allowed': repair('integration', 'exchange'),
  'identity-without-integration-access': repair('integration', 'access'),
  'identity-disabled': repair('identity', 'enabled'),
  'identity-without-api-access': repair('identity', 'mayUseApi'),
  'certificate-issuer-not-approved': repair('issuer', 'enabled'),
  'issuer-not-for-integration': repair('issuer', 'integrations'),
  'assertion-issuer-unknown': repair('token-issuer', 'enabled'),
  'token-issuer-not-for-integration': repair('token-issuer', 'rules'),
};

export function repairOf(reason: string): Repair | undefined {
  return Object.hasOwn(REPAIRS, reason) ? REPAIRS[reason as RefusalReason] : undefined;
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

/** Whether nobody was refused since that change. Nodes learn of it within a second, so one who was refused meanwhile counts. */
export function isBeforeChange({ last }: Pick<Refused, 'last'>, change: Pick<Change, 'at'> | undefined): boolean {
  return change !== undefined && last < change.at;
}
