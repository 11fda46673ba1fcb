// What lets a refused caller pass: which setting of which thing, and which change of it came last.
import { type Act, type Kind, lifeOf } from '../act.ts';
import type { RefusalReason } from '../refusal.ts';
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
  readonly first: EpochSeconds;
  readonly last: EpochSeconds;
}

interface Change {
  readonly at: EpochSeconds;
  readonly detail: Act;
}

/** The newest change of what a refusal depends on. Which issuer that is remains unknown, so one changed long before the first refusal is not named. */
export function lastChangeBehind<C extends Change>(refused: Refused, newestFirst: readonly C[]): C | undefined {
  const needed = repairOf(refused.reason);
  if (!needed) return undefined;
  const isOfIt = ({ at, detail }: C) =>
    isGuess(needed)
      ? at > refused.first - DAY
      : detail.id === (needed.kind === 'identity' ? refused.identityId : refused.clientId);
  return newestFirst.find(
    (change) => change.detail.kind === needed.kind && isOfIt(change) && sets(change.detail, needed),
  );
}

/** Callers who are refused since a change are refused within a day of it. In seconds. */
const DAY = 86_400;

/** A refusal does not say which issuer it is about. */
export function isGuess({ kind }: Repair): boolean {
  return kind === 'issuer' || kind === 'token-issuer';
}

/** Whether it made or ended the thing, or changed this setting. */
function sets(act: Act, { setting }: Repair): boolean {
  return 'changed' in act ? setting in act.changed : lifeOf(act) !== 'changes';
}

/** Whether nobody was refused since that change. Nodes learn of it within a second, so one who was refused meanwhile counts. */
export function isBeforeChange({ last }: Pick<Refused, 'last'>, change: Pick<Change, 'at'> | undefined): boolean {
  return change !== undefined && last < change.at;
}
