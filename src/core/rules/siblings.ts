// Several programs with one login: how long a spent refresh token still gets today's pair. docs/exactly-once-refresh.md
import { type Grant, guestOf, type Siblings } from '../grant.ts';
import type { Integration } from '../integration.ts';
import { isSamePresenter, type Presenter } from '../presenter.ts';
import type { Settings } from '../settings.ts';
import { between, type EpochSeconds, type Seconds, seconds } from '../time.ts';

/** Guests are programs of others, which share tokens in ways that no operator chose. A week: one that slept over a weekend goes on. */
export const GUEST_WINDOW = seconds(7 * 86_400);

/** The longest window of the server itself. Integrations may have longer ones. */
export function usualSiblingWindow({ refreshSiblingWindow, clientDocuments }: Settings): Seconds {
  return seconds(clientDocuments ? Math.max(refreshSiblingWindow, GUEST_WINDOW) : refreshSiblingWindow);
}

/** 0: no window. It is never shorter than an access token's life, at whose end programs come back. `own`: as the integration has it. */
export function siblingWindow(grant: Pick<Grant, 'origin'>, { overrides }: Integration, own: Settings): Seconds {
  const { refreshSiblingWindow: set, accessTokenLifetime } = own;
  const isUsual = guestOf(grant) !== undefined && overrides.refreshSiblingWindow === undefined;
  const window = isUsual ? Math.max(set, GUEST_WINDOW) : set;
  return seconds(window === 0 ? 0 : Math.max(window, accessTokenLifetime));
}

/** The latest moment at which this generation may have been superseded. Undefined: longer ago than the window. */
export function supersededAt(
  generation: number,
  { pair, siblings }: Pick<Grant, 'pair' | 'siblings'>,
): EpochSeconds | undefined {
  const next = generation + 1;
  const { since = pair.generation, before } = siblings?.marks ?? {};
  if (next >= since) return pair.issuedAt;
  return before && next >= before.since ? before.until : undefined;
}

/** The next row of a rotation at `now`, with its marks. */
export function marked(next: Grant, grant: Grant, window: Seconds, now: EpochSeconds): Grant {
  if (window === 0 && !grant.siblings?.marks) return next;
  const { programs } = grant.siblings ?? {};
  const { siblings: _, ...rest } = next;
  const marks = marksAfter(grant, window, now);
  return marks || programs ? { ...rest, siblings: { ...(marks && { marks }), ...(programs && { programs }) } } : rest;
}

/** A stretch is at least as long as the window, so the two that are kept cover it. */
function marksAfter({ pair, siblings }: Grant, window: Seconds, now: EpochSeconds): Siblings['marks'] {
  if (window === 0) return undefined;
  const marks = siblings?.marks;
  if (marks && between(marks.at, now) < window) return marks;
  const before = { since: marks?.since ?? pair.generation, until: pair.issuedAt };
  return { since: pair.generation + 1, at: now, before };
}

/** Keeps the row small. */
const MOST_PROGRAMS = 8;

/** After a program without a proof of a key has used a spent token. The same grant if the program is known, or there are too many. */
export function withProgram(grant: Grant, { address, agent }: Presenter, now: EpochSeconds): Grant {
  const { pair, siblings } = grant;
  const programs = siblings?.programs ?? [{ since: pair.issuedAt, presenter: pair.presenter }];
  const presenter = { address, agent };
  const isKnown = [pair, ...programs].some((each) => isSamePresenter(each.presenter, presenter));
  if (isKnown || programs.length >= MOST_PROGRAMS) return grant;
  return { ...grant, siblings: { ...siblings, programs: [...programs, { since: now, presenter }] } };
}
