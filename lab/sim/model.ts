// The model: rules that hold for every history, in any order of events. Each rule names what breaks it.
// A rule says "must" only if no order of the overlapping actions, and no outcome of a failed one, could excuse it.
import type { Settings } from '../../src/core/settings.ts';
import { beganBeforeEndOf, type Deed, type HeldPair, isBefore } from './history.ts';

export interface Judged {
  readonly deeds: readonly Deed[];
  readonly settings: Settings;
}

type Rule = (judged: Judged) => Iterable<string>;

export function* violations(judged: Judged): Iterable<string> {
  for (const rule of RULES) for (const what of rule(judged)) yield `${rule.name}: ${what}`;
}

const accepted = ({ answer }: Deed): boolean => answer === 'accepted';
const ofKind = (deeds: readonly Deed[], kind: Deed['kind']) => deeds.filter((deed) => deed.kind === kind);
const presents = (token: string) => (deed: Deed) => deed.kind === 'refresh' && deed.presented === token;
const say = ({ kind, presented, answer, begin, end }: Deed) =>
  `${kind} of …${presented.slice(-12, -2)} at ticks ${begin.tick}–${end.tick}, clock ${begin.clock}–${end.clock}: ${answer}`;

function* oneSuccessor({ deeds }: Judged): Iterable<string> {
  const successors = new Map<string, HeldPair>();
  for (const deed of deeds) {
    if (!deed.pair || deed.kind === 'redeem') continue;
    const first = successors.get(deed.presented) ?? deed.pair;
    successors.set(deed.presented, first);
    if (JSON.stringify(first) !== JSON.stringify(deed.pair)) yield `a second successor from ${say(deed)}`;
  }
}

/** Revoked, reused, or reported as ended. */
function* deadAfterItsEnd({ deeds, settings }: Judged): Iterable<string> {
  const ends = deeds.filter((deed) => endsGrant(deed, settings));
  for (const end of ends) {
    const after = deeds.filter((deed) => deed.grantId === end.grantId && isBefore(end, deed));
    for (const deed of after.filter(accepted)) yield `${say(deed)}, after ${say(end)}`;
  }
}

function endsGrant({ kind, answer }: Deed, { onReuse }: Settings): boolean {
  if (kind === 'revoke') return answer === 'accepted' || answer === 'grant-revoked';
  return answer === 'grant-revoked' || (answer === 'refresh-token-reused' && onReuse === 'revoke');
}

function* nothingPastItsEnd({ deeds }: Judged): Iterable<string> {
  const pairs = pairsOf(deeds);
  for (const deed of deeds.filter(accepted)) {
    const pair = pairs.get(deed.presented);
    if (deed.kind === 'refresh' && pair && deed.begin.clock >= pair.refreshUntil)
      yield `past refresh_until: ${say(deed)}`;
    if (deed.kind === 'check' && pair && deed.begin.clock >= pair.expiresAt) yield `past expires: ${say(deed)}`;
    if (deed.pair && pair && deed.pair.refreshUntil !== pair.refreshUntil) yield `refresh_until moved: ${say(deed)}`;
    if (deed.pair && deed.pair.expiresAt > deed.pair.refreshUntil) yield `expires after refresh_until: ${say(deed)}`;
  }
}

const MAY_MEET_REUSE = ['refresh-token-reused', 'grant-revoked', 'grant-expired', 'grant-unknown', 'fault'];

function* reuseIsRecognised({ deeds, settings }: Judged): Iterable<string> {
  for (const first of ofKind(deeds, 'refresh').filter(accepted)) {
    const used = deeds.filter(presents(first.pair?.refresh ?? '')).filter(accepted);
    for (const deed of deeds.filter(presents(first.presented))) {
      const spent = used.some((use) => isBefore(use, deed));
      const tooLate = isBefore(first, deed) && deed.begin.clock > first.end.clock + settings.refreshRetryWindow;
      const strict = isBefore(first, deed) && settings.refreshRetryWindow === 0;
      if ((spent || tooLate || strict) && !MAY_MEET_REUSE.includes(deed.answer))
        yield `${say(deed)}, though spent by ${say(first)}`;
    }
  }
}

/** Whether another action may have ended or rotated the grant before this one was answered. */
function isTroubled(deed: Deed, deeds: readonly Deed[]): boolean {
  const others = deeds.filter((other) => other !== deed && other.grantId === deed.grantId);
  return others.some((other) => {
    if (!beganBeforeEndOf(other, deed)) return false;
    if (other.kind === 'revoke' || other.answer === 'refresh-token-reused') return true;
    // One that was refused may have rotated the grant first and lost the acknowledgement.
    return other.kind === 'refresh' && (other.answer === 'fault' || other.answer === 'grant-revoked');
  });
}

function* aGoodTokenWorks({ deeds, settings }: Judged): Iterable<string> {
  const born = birthsOf(deeds);
  for (const deed of deeds.filter(({ answer }) => answer !== 'accepted' && answer !== 'fault')) {
    const birth = born.get(deed.presented);
    if (!birth?.pair || !isBefore(birth, deed) || isTroubled(deed, deeds) || !isSurely('enabled', deed, deeds))
      continue;
    if (deed.kind === 'refresh' && isGoodRefresh(deed, birth.pair, deeds, settings))
      yield `refused for nothing: ${say(deed)}`;
    const overlap = settings.accessTokenOverlap !== undefined;
    if (deed.kind === 'check' && deed.end.clock < birth.pair.expiresAt && !overlap)
      yield `refused for nothing: ${say(deed)}`;
  }
}

/** Current, or last spent and in its window. */
function isGoodRefresh(deed: Deed, pair: HeldPair, deeds: readonly Deed[], settings: Settings): boolean {
  if (deed.end.clock >= pair.refreshUntil) return false;
  const uses = deeds.filter(presents(pair.refresh)).filter((use) => use !== deed && beganBeforeEndOf(use, deed));
  const rotations = uses.filter(accepted);
  if (rotations.length === 0) return true;
  const successor = rotations[0]?.pair?.refresh ?? '';
  if (deeds.some((use) => presents(successor)(use) && beganBeforeEndOf(use, deed))) return false;
  const earliest = Math.min(...rotations.map(({ begin }) => begin.clock), deed.begin.clock);
  return settings.refreshRetryWindow > 0 && deed.end.clock <= earliest + settings.refreshRetryWindow;
}

function* disabledGetsNothing({ deeds }: Judged): Iterable<string> {
  const answered = deeds.filter(({ kind }) => kind === 'refresh' || kind === 'check' || kind === 'redeem');
  for (const deed of answered.filter(accepted)) if (isSurely('disabled', deed, deeds)) yield say(deed);
}

function isSurely(wanted: 'enabled' | 'disabled', deed: Deed, deeds: readonly Deed[]): boolean {
  const settings = deeds.filter(({ kind }) => kind === 'enable' || kind === 'disable');
  const begun = settings.filter((other) => beganBeforeEndOf(other, deed));
  if (begun.some((other) => !isBefore(other, deed))) return false;
  const last = begun.toSorted((a, b) => a.end.tick - b.end.tick).at(-1);
  // Two overlapping actions may have happened in either order.
  if (begun.some((other) => other !== last && last && !isBefore(other, last) && other.kind !== last.kind)) return false;
  return (last?.kind ?? 'enable') === (wanted === 'enabled' ? 'enable' : 'disable');
}

function* redeemedOnce({ deeds }: Judged): Iterable<string> {
  const redemptions = ofKind(deeds, 'redeem').filter(accepted);
  for (const deed of redemptions) {
    const same = redemptions.filter(({ presented }) => presented === deed.presented);
    if (same.length > 1) yield `redeemed ${same.length} times: ${say(deed)}`;
  }
}

/** Every pair by both of its tokens. */
function pairsOf(deeds: readonly Deed[]): Map<string, HeldPair> {
  const pairs = deeds.flatMap(({ pair }) => (pair ? [pair] : []));
  return new Map(pairs.flatMap((pair) => [[pair.refresh, pair] as const, [pair.access, pair] as const]));
}

/** The first action that received each token. */
function birthsOf(deeds: readonly Deed[]): Map<string, Deed> {
  const births = new Map<string, Deed>();
  for (const deed of deeds) {
    for (const token of deed.pair ? [deed.pair.refresh, deed.pair.access] : []) {
      if (!births.has(token)) births.set(token, deed);
    }
  }
  return births;
}

const RULES: readonly Rule[] = [
  oneSuccessor,
  deadAfterItsEnd,
  nothingPastItsEnd,
  reuseIsRecognised,
  aGoodTokenWorks,
  disabledGetsNothing,
  redeemedOnce,
];
