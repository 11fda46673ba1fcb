// The commands that all kinds of registered things have. A kind says what differs: what its flags describe, and how it is shown.
import { weakeningsOf } from '../../core/rules/weakening.ts';
import type { Listed } from '../../operations/admin/acts/act.ts';
import type { ActName, Gives } from '../../operations/admin/acts.ts';
import { CommandFailure } from '../terminal/exit.ts';
import type { Flags } from '../terminal/manual.ts';
import { print, printJson, printRecord, printTable, remark, result } from '../terminal/output.ts';
import { accepted } from '../terminal/wording.ts';
import { administering } from './administration.ts';
import type { Administration } from './steps.ts';

type Kind = 'integration' | 'resource-server' | 'issuer' | 'token-issuer' | 'identity';
type Shown<K extends Kind | 'grant'> = Gives[`${K}-show`];
type Cell = string | number | undefined;

interface Look<K extends Kind | 'grant'> {
  readonly columns: readonly string[];
  readonly row: (thing: Shown<K>) => readonly Cell[];
  readonly record: (thing: Shown<K>) => Readonly<Record<string, Cell | boolean>>;
  /** What --json shows of a thing, if not all of it. */
  readonly asJson?: (thing: Shown<K>) => object;
  readonly order?: (a: Shown<K>, b: Shown<K>) => number;
}

interface ThingWork<K extends Kind> extends Look<K> {
  /** What flags describe: a new thing, or one that there was before. The flag `file`: the second argument of `add`. */
  readonly body: (flags: Flags, before?: Shown<K>) => object;
  /** The line for people. Absent: this kind has an `add` of its own. */
  readonly added?: (id: string, thing: Shown<K>) => string;
  readonly remarks?: (thing: Shown<K>, isNew: boolean) => readonly string[];
  /** A change without a flag is refused. */
  readonly needsFlag?: true;
  /** The line for people, and the result. */
  readonly removed: (id: string, endedGrants: number) => readonly [line: string, done: object];
}

export function worksOf<K extends Kind>(kind: K, work: ThingWork<K>) {
  return {
    [`${kind} add`]: adds(kind, work),
    [`${kind} change`]: changes(kind, work),
    [`${kind} list`]: lists(kind, work),
    [`${kind} show`]: shows(kind, work),
    [`${kind} remove`]: removes(kind, work),
  };
}

function adds<K extends Kind>(kind: K, { body, added = () => '', remarks, asJson = whole }: ThingWork<K>) {
  return administering(async (id: string, ...given: readonly unknown[]) => {
    const [{ act }, flags, file] = [...given].reverse() as [Administration, Flags, string?];
    const put = await act(`${kind}-put`, { id, body: body({ ...flags, file }), onlyIf: 'absent' });
    const thing = put as Shown<K>;
    print(added(id, thing));
    for (const line of remarks?.(thing, true) ?? []) remark(line);
    result(asJson(thing));
  });
}

const MOST_TRIES = 20;

/** Says before what the change weakens; again if somebody else changes it meanwhile. */
function changes<K extends Kind>(kind: K, { body, remarks, needsFlag, asJson = whole }: ThingWork<K>) {
  return administering(async (id: string, flags: Flags, { attempt }: Administration) => {
    const isEmpty = Object.keys(flags).every((name) => name === 'json' || name === 'shared');
    if (needsFlag && isEmpty)
      throw new CommandFailure('usage', 'say what to change', `See: tessera ${kind} change --help`);
    for (let tries = 1; ; tries++) {
      const { value, revision } = accepted(await attempt<`${K}-show`>(`${kind}-show`, { id }));
      const next = body(flags, value);
      warnOf(value, next);
      const put = await attempt(`${kind}-put`, { id, body: next, onlyIf: revision });
      if (!put.ok && put.refusal.reason === 'changed-meanwhile' && tries < MOST_TRIES) continue;
      const thing = accepted(put).value as Shown<K>;
      print(`Changed ${nameOf(thing, id)}`);
      for (const line of remarks?.(thing, false) ?? []) remark(line);
      return result(asJson(thing));
    }
  });
}

function warnOf(before: unknown, body: object): void {
  const former = before as Readonly<Record<string, unknown>>;
  const changes = Object.entries(body).map(([name, after]) => [name, { before: former[name], after }] as const);
  for (const line of weakeningsOf(changes)) remark(`Warning: ${line}`);
}

function whole(thing: unknown): object {
  return thing as object;
}

/** Identities are named by user name, and shown by id. */
function nameOf(thing: unknown, name: string): string {
  return (thing as { readonly id?: string }).id ?? name;
}

interface ListFlags {
  readonly json?: true;
  readonly limit?: number;
}

export function lists<K extends Kind | 'grant'>(
  kind: K,
  { columns, row, asJson = whole, order }: Omit<Look<K>, 'record'>,
) {
  return administering(
    async ({ json, limit = Number.POSITIVE_INFINITY, ...query }: ListFlags, administration: Administration) => {
      const found = (await itemsOf(`${kind}-list`, query, administration, limit + 1)) as readonly Shown<K>[];
      const shown = found.slice(0, limit).sort(order ?? (() => 0));
      if (json) printJson(shown.map(asJson));
      else printTable(columns, shown.map(row));
      if (found.length > limit) remark(`There are more than ${limit}; see --limit.`);
    },
  );
}

const PAGE = 1000;

/** The items of all pages, until there are `most` of them. */
async function itemsOf(name: ActName, query: object, { act }: Administration, most: number) {
  const items: unknown[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await act(name, { query: { ...query, limit: PAGE, ...(cursor && { cursor }) } });
    const { items: found, next } = page as Listed<unknown>;
    items.push(...found);
    if (next === undefined || items.length >= most) return items.slice(0, most);
    cursor = next;
  }
}

export function shows<K extends Kind | 'grant'>(
  kind: K,
  { record, asJson = whole }: Pick<Look<K>, 'record' | 'asJson'>,
) {
  return administering(async (id: string, { json }: { json?: true }, { act }: Administration) => {
    const value = await act<`${K}-show`>(`${kind}-show`, { id });
    if (json) printJson(asJson(value));
    else printRecord(record(value));
  });
}

export function switches<K extends 'integration' | 'identity'>(kind: K) {
  const switched = (verb: 'enable' | 'disable') =>
    administering(async (id: string, _: unknown, { act }: Administration) => {
      const value = await act<`${K}-enable`>(`${kind}-${verb}` as `${K}-enable`, { id });
      print(`The ${kind} ${nameOf(value, id)} is ${verb}d`);
      result(value as object);
    });
  return { [`${kind} enable`]: switched('enable'), [`${kind} disable`]: switched('disable') };
}

function removes<K extends Kind>(kind: K, { removed }: ThingWork<K>) {
  return administering(async (name: string, { yes = false }: { yes?: boolean }, { act }: Administration) => {
    const ended = await act<'identity-remove'>(`${kind}-remove` as 'identity-remove', {
      id: name,
      query: { confirmed: yes },
    });
    const { id = name, endedGrants = 0 } = ended;
    const [line, done] = removed(id, endedGrants);
    print(line);
    result(done);
  });
}

export function yesNo(value: boolean | undefined): string {
  return value ? 'yes' : 'no';
}
