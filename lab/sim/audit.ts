// After the run: rows and event log must match the answers to callers exactly.
import type { Event } from '../../src/core/event.ts';
import type { Grant } from '../../src/core/grant.ts';
import { grants } from '../../src/store/tables/grants.ts';
import { standingOf } from '../../src/tokens/opaque/pair.ts';
import { parseRefreshToken } from '../../src/tokens/opaque/token-text.ts';
import type { Deed, HeldPair } from './history.ts';
import type { World } from './world.ts';

const SWEPT_AFTER = 3600;
/** Answers after which a refresh may still have happened: its acknowledgement was lost, and when it was looked for, the grant had ended. */
const MAY_HAVE_ROTATED = ['fault', 'grant-revoked', 'grant-expired'];

export async function audit(deeds: readonly Deed[], firstEvent: number, world: World): Promise<string[]> {
  const events = await world.sound.events({ after: firstEvent, limit: 10_000 });
  const found: string[] = [];
  for (const [grantId, last] of lastPairs(deeds)) {
    const grant = (await world.sound.load(grants, grantId)).found?.row;
    const own = events.filter(({ subjectId }) => subjectId === grantId);
    if (!grant && world.clock.now() >= last.refreshUntil + SWEPT_AFTER) continue;
    const what = grant ? whatIsWrong(grant, last, deeds, own, world) : 'the grant is lost';
    if (what) found.push(`audit: ${what} (grant ${grantId})`);
  }
  return found;
}

/** The latest known pair of each grant: the one without a known successor. */
function lastPairs(deeds: readonly Deed[]): Map<string, HeldPair> {
  const refreshed = new Set(
    deeds.filter(({ kind, pair }) => kind === 'refresh' && pair).map(({ presented }) => presented),
  );
  const leaves = deeds.flatMap(({ pair }) => (pair && !refreshed.has(pair.refresh) ? [pair] : []));
  return new Map(leaves.map((pair) => [pair.grantId, pair]));
}

function whatIsWrong(
  grant: Grant,
  last: HeldPair,
  deeds: readonly Deed[],
  events: readonly Event[],
  { keyring, settings }: World,
): string | undefined {
  const count = (type: Event['type']) => events.filter((event) => event.type === type).length;
  if (count('issued') !== 1) return `issued ${count('issued')} times`;
  if (count('refreshed') !== grant.pair.generation)
    return `${count('refreshed')} refreshes told, generation ${grant.pair.generation}`;
  if (count('revoked') !== Number(grant.revoked !== undefined)) return `revoked ${count('revoked')} times`;
  const revoked = deeds.some(
    ({ kind, answer, grantId }) => kind === 'revoke' && answer === 'accepted' && grantId === grant.id,
  );
  if (revoked && !grant.revoked) return 'an acknowledged revocation is lost';
  const token = parseRefreshToken(last.refresh, keyring);
  const standing = token ? standingOf(token, grant, keyring) : 'foreign';
  const movedOn = deeds.some(
    ({ presented, answer, begin, end }) =>
      presented === last.refresh &&
      begin.clock < last.refreshUntil &&
      // Looked for when it cannot be repeated any more, it looks like a reuse.
      (MAY_HAVE_ROTATED.includes(answer) ||
        (answer === 'refresh-token-reused' && end.clock >= begin.clock + settings.refreshRetryWindow)),
  );
  const isKept = standing === 'current' || (standing === 'last-spent' && movedOn);
  return isKept ? undefined : `an acknowledged refresh is lost: the last token anyone was given is ${standing}`;
}
