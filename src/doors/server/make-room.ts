// When all places are taken, requests that wait for their callers leave theirs to others: their bodies do not come, or their answers are
// not read.
import { cut } from './cut.ts';
import type { Place, Places } from './places.ts';

/** For a body to come and an answer to be read, while others have no place. */
const WAITING_MS = 1000;
/** How many leave at once, and how often: the search looks at all. */
const MOST = 200;
const SEARCH_EVERY_MS = 20;

export class Room {
  readonly #places: Places;
  #searchedAt = Number.NEGATIVE_INFINITY;

  constructor(places: Places) {
    this.#places = places;
  }

  /** Returns whether there is room. Callers that have shown a token leave their places only if no stranger can. */
  make({ ofStrangersOnly }: { readonly ofStrangersOnly: boolean }, now = performance.now()): boolean {
    if (now < this.#searchedAt + SEARCH_EVERY_MS) return false;
    this.#searchedAt = now;
    const waiting = [...this.#places.visitors].flatMap(({ places }) => places.filter((place) => isWaiting(place, now)));
    const strangers = waiting.filter(({ visitor }) => !visitor.isKnown);
    const leaving = (strangers.length > 0 || ofStrangersOnly ? strangers : waiting).slice(0, MOST);
    for (const place of leaving) this.#end(place);
    return leaving.length > 0;
  }

  #end(place: Place): void {
    this.#places.uncount(place);
    const { refuseLate, response, isUnsent } = place;
    if (refuseLate && !response.headersSent && !isUnsent) {
      response.shouldKeepAlive = false;
      place.refuseLate = undefined;
      refuseLate();
    } else cut(place);
  }
}

function isWaiting({ counts, raw, since, beganAt }: Place, now: number): boolean {
  return counts && (beganAt === undefined ? !raw.complete && now - since >= WAITING_MS : now - beganAt >= WAITING_MS);
}
