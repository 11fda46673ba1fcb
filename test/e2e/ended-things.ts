// Things for every act that ends something: ended before a copy of the store is taken or afterwards; opened again, or replaced.
import assert from 'node:assert/strict';
import { KINDS } from '../../src/core/act.ts';
import type { Installation } from './installation.ts';
import type { Seen, Thing } from './made-things.ts';
import { type End, THINGS, type ThingKind } from './things-that-end.ts';

const MOMENTS = ['before', 'since', 'replaced', 'reopened'] as const;

export interface Case {
  readonly kind: ThingKind;
  readonly did: string;
  /** It ended before or since the copy; or it ended since, and was opened again or its name was given to another. */
  readonly when: (typeof MOMENTS)[number];
}

const WORDS = {
  before: 'ended before the copy: still ended',
  since: 'ended since the copy: ended again',
  replaced: 'ended since the copy, and its name given to another: the former stays ended',
  reopened: 'ended since the copy, and opened again: works',
};

export function nameOf({ kind, did, when }: Case): string {
  return `${kind} ${did}: ${WORDS[when]}`;
}

function endOf({ kind, did }: Case): End {
  const ends: Readonly<Record<string, End>> = THINGS[kind].ends;
  return ends[did] ?? assert.fail(`${kind} ${did} is not among the things`);
}

export function allCases(): Case[] {
  const kinds = Object.keys(THINGS) as ThingKind[];
  const acts = kinds.flatMap((kind) => actsOf(kind).map((did) => ({ kind, did })));
  const all = acts.flatMap((act) => MOMENTS.map((when) => ({ ...act, when })));
  return all.filter((each) => {
    const { reopened, replaced } = endOf(each);
    return (each.when !== 'reopened' || reopened !== 'never') && (each.when !== 'replaced' || replaced);
  });
}

function actsOf(kind: ThingKind): string[] {
  return Object.keys(THINGS[kind].ends);
}

/** What the service takes for acts that end something. */
function endingActs(): string[] {
  const acts = Object.entries(KINDS).flatMap(([kind, dids]) =>
    Object.entries(dids).map((did) => [kind, ...did] as const),
  );
  return acts.flatMap(([kind, did, [life]]) => (life === 'ends' ? [`${kind} ${did}`] : []));
}

export class EndedThings {
  readonly #at: Installation;
  readonly #things: ReadonlyMap<string, Thing>;
  #seen = new Map<string, Seen>();

  private constructor(at: Installation, things: ReadonlyMap<string, Thing>) {
    this.#at = at;
    this.#things = things;
  }

  /** Makes all of them, sees each of them work, and ends those that end before the copy. */
  static async make(at: Installation): Promise<EndedThings> {
    const acts = new Set(allCases().map(({ kind, did }) => `${kind} ${did}`));
    assert.deepEqual(new Set([...endingActs(), 'grant revoked']), acts);
    const things = new Map<string, Thing>();
    const made = new EndedThings(at, things);
    for (const each of allCases()) {
      const thing = await THINGS[each.kind].make(`${each.kind}-${each.did}-${each.when}`, at);
      things.set(nameOf(each), thing);
      await at.follow(); // one that knows the newest signing key
      assertSeen(each, await thing.look(), () => true);
      if (each.when === 'before') await made.#end(each);
    }
    return made;
  }

  #thing(each: Case): Thing {
    return this.#things.get(nameOf(each)) ?? assert.fail(nameOf(each));
  }

  async #end(each: Case): Promise<void> {
    const thing = this.#thing(each);
    await thing.prepare?.();
    await endOf(each).by(thing.id, this.#at);
  }

  /** Ends those that end after the copy. */
  async end(): Promise<void> {
    for (const each of allCases().filter(({ when }) => when !== 'before')) {
      await this.#end(each);
      const { reopened, replaced } = endOf(each);
      if (each.when === 'replaced') await replaced?.(this.#thing(each).id, this.#at);
      if (each.when === 'reopened' && reopened !== 'never') await reopened.by(this.#thing(each).id, this.#at);
    }
  }

  async assertEnded(): Promise<void> {
    await this.look();
    for (const each of allCases().filter(({ when }) => when !== 'reopened')) this.assertRestored(each);
  }

  /** Sees all of them, the ended ones first. */
  async look(): Promise<void> {
    await this.#at.follow();
    for (const moment of MOMENTS) {
      const all = allCases().filter(({ when }) => when === moment);
      await Promise.all(all.map(async (each) => this.#seen.set(nameOf(each), await this.#thing(each).look())));
    }
  }

  assertRestored(each: Case): void {
    const { reopened } = endOf(each);
    const works = each.when === 'reopened' && reopened !== 'never' ? reopened.works : staysOf(each);
    assertSeen(each, this.#seen.get(nameOf(each)) ?? {}, (name) => works?.includes(name) ?? true);
  }

  /** What must have been ended again, as commands name it. */
  endedAgain(): string[] {
    const since = allCases().filter(({ kind, when }) => when === 'since' && kind !== 'grant');
    return since.map((each) => `${each.kind.replaceAll('-', ' ')} ${this.#thing(each).id}`);
  }
}

function staysOf(each: Case): readonly string[] {
  return endOf(each).stays ?? [];
}

function assertSeen(each: Case, seen: Seen, works: (name: string) => boolean): void {
  const expected = Object.fromEntries(Object.keys(seen).map((name) => [name, works(name)]));
  assert.ok(Object.keys(expected).length > 0);
  assert.deepEqual(seen, expected, nameOf(each));
}
