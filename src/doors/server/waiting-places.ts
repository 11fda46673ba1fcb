// Which requests leave their places to others when all are taken: those that wait for their callers, whose bodies do not come or whose
// answers are not read.
import type { Place, Visitor } from './places.ts';

/** For a body to come and an answer to be read, while others have no place. */
const WAITING_MS = 1000;
/** How many leave at once. */
const MOST = 200;

/** Those of strangers first, then of callers with a token. */
export function waitingPlaces(visitors: Iterable<Visitor>, now: number): readonly Place[] {
  const waiting = [...visitors].flatMap(({ places }) => places.filter((place) => isWaiting(place, now)));
  const strangers = waiting.filter(({ visitor }) => !visitor.isKnown);
  return (strangers.length > 0 ? strangers : waiting).slice(0, MOST);
}

function isWaiting({ counts, raw, since, beganAt }: Place, now: number): boolean {
  return counts && (beganAt === undefined ? !raw.complete && now - since >= WAITING_MS : now - beganAt >= WAITING_MS);
}
