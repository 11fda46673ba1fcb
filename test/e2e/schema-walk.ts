// Walks a published JSON Schema, constraint by constraint, and asks what enforces it: a value outside is one that this
// constraint alone forbids. All of it is made from the schema, and an independent validator judges it.

import { candidates, plainest, withMember } from './schema-candidates.ts';
import { constraintsOf, type Judge, judgeWith, type Members, type Shape, type Supply } from './schema-judge.ts';
import { textFor } from './schema-texts.ts';

export interface Published {
  /** Where it is published, for the report. */
  readonly name: string;
  readonly schema: Shape;
  /** An allowed value to begin with. Without it: what the schema requires, alone. */
  readonly base?: unknown;
  readonly supply?: Supply;
  /** Not everything can be put into a header or a query. */
  readonly isSendable?: (value: never) => boolean;
  /** Why it is refused; undefined if it is accepted. */
  readonly refusal: (value: never) => Promise<string | undefined>;
  /** Refusals that the schema does not speak of: of what else is there, or of two things together. */
  readonly elsewhere?: readonly RegExp[];
}

export interface Walk {
  /** Constraints that refused a value which nothing else forbids, beside a value that was accepted there. */
  readonly exercised: string[];
  readonly unexercised: string[];
  readonly wrong: string[];
  /** How many different values of each side. */
  readonly sent: { allowed: number; forbidden: number };
}

/** `few`: of each constraint. */
const FEW = 2;

/** A part of the schema, and how a value of it becomes a whole one. */
interface Place {
  readonly at: string;
  readonly node: Shape;
  readonly local: unknown;
  readonly whole: (value: unknown) => unknown;
}

export async function walk(published: Published, howMany: 'few' | 'all'): Promise<Walk> {
  const { name, schema, supply = {}, base = plainest(schema, supply), isSendable = () => true, refusal } = published;
  const { elsewhere = [] } = published;
  const judge = judgeWith(supply);
  const isAllowed = judge(schema);
  const found: Walk = { exercised: [], unexercised: [], wrong: [], sent: { allowed: 0, forbidden: 0 } };
  const answers = new Map<string, Promise<string | undefined>>();
  const ask = (value: unknown) => {
    const text = JSON.stringify(value);
    const known = answers.get(text);
    if (known) return known;
    found.sent[isAllowed(value) ? 'allowed' : 'forbidden'] += 1;
    const answer = refusal(value as never);
    answers.set(text, answer);
    return answer;
  };
  if (!isAllowed(base)) throw new Error(`${name}: the base is not allowed: ${JSON.stringify(isAllowed.errors)}`);
  for (const place of placesIn({ at: name, node: schema, local: base, whole: (value) => value }, supply, judge)) {
    const values = candidates(place.node, place.local, supply, judge).filter((value) =>
      isSendable(place.whole(value) as never),
    );
    const inside = values.filter((value) => isAllowed(place.whole(value)));
    const outside = values.filter((value) => !isAllowed(place.whole(value)));
    let accepted = 0;
    for (const value of howMany === 'all' ? inside : telling(inside, place.node)) {
      const refused = await ask(place.whole(value));
      if (refused === undefined) accepted += 1;
      else if (!elsewhere.some((rule) => rule.test(refused)))
        found.wrong.push(`${place.at}: refuses ${shown(value)}: ${refused}`);
    }
    const asked = new Set<unknown>();
    for (const [constraint, rest] of constraintsOf(place.node, supply)) {
      const isElse = judge(rest);
      const only = outside.filter((value) => isElse(value));
      for (const value of howMany === 'all' ? only : only.slice(0, FEW)) asked.add(value);
      (accepted > 0 && only.length > 0 ? found.exercised : found.unexercised).push(`${place.at} ${constraint}`);
    }
    for (const value of howMany === 'all' ? outside : asked)
      if ((await ask(place.whole(value))) === undefined) found.wrong.push(`${place.at}: accepts ${shown(value)}`);
  }
  return found;
}

const shown = (value: unknown) => JSON.stringify(value)?.slice(0, 200);

/** Those of an enum, and of the rest the first and the last. */
function telling(inside: readonly unknown[], { enum: choices }: Shape): readonly unknown[] {
  return choices ? inside : [...new Set([...inside.slice(0, FEW), ...inside.slice(-FEW)])];
}

function* placesIn(place: Place, supply: Supply, judge: Judge): Generator<Place> {
  yield place;
  const { at, node, local, whole } = place;
  const members = typeof local === 'object' && local !== null ? (local as Members) : {};
  const below = (name: string, child: Shape, value: unknown, more: (value: unknown) => unknown): Place => ({
    at: `${at}/${name}`,
    node: child,
    local: value === undefined ? plainest(child, supply) : value,
    whole: (each) => whole(more(each)),
  });
  for (const [name, child] of Object.entries(node.properties ?? {}))
    if (!child.readOnly)
      yield* placesIn(
        below(name, child, members[name], (value) => withMember(members, name, value)),
        supply,
        judge,
      );
  const { items, additionalProperties: others } = node;
  if (items) {
    const [first, ...rest] = Array.isArray(local) ? local : [];
    yield* placesIn(
      below('[]', items, first, (value) => [value, ...rest]),
      supply,
      judge,
    );
  }
  if (typeof others === 'object') {
    const name = textFor(node.propertyNames ?? {}) || 'a';
    yield* placesIn(
      below('{}', others, members[name], (value) => withMember(members, name, value)),
      supply,
      judge,
    );
  }
  for (const [number, child] of [...(node.anyOf ?? []), ...(node.oneOf ?? [])].entries()) {
    const own = judge(child)(local) ? local : undefined;
    yield* placesIn(
      below(`(${number})`, child, own, (value) => value),
      supply,
      judge,
    );
  }
}
