// The commands that all kinds of registered things have. A kind says what differs: its fields, and the words.
import { weakeningsOf } from '../../core/rules/weakening.ts';
import type { Listed } from '../../operations/admin/acts/act.ts';
import type { ActName, Gives } from '../../operations/admin/acts.ts';
import { CommandFailure } from '../terminal/exit.ts';
import { AS_JSON, type Input, type Inputs, type Sure } from '../terminal/options.ts';
import { print, printJson, printRecord, printTable, remark, result } from '../terminal/output.ts';
import { accepted } from '../terminal/wording.ts';
import { administers } from './administration.ts';
import type { Fields } from './fields.ts';
import type { Administration } from './steps.ts';

type Kind = 'integration' | 'resource-server' | 'issuer' | 'token-issuer' | 'identity';
type Shown<K extends Kind | 'grant'> = Gives[`${K}-show`];

export interface Look<K extends Kind | 'grant'> {
  readonly columns: readonly string[];
  readonly row: (thing: Shown<K>) => readonly (string | undefined)[];
  readonly order?: (a: Shown<K>, b: Shown<K>) => number;
  /** What --json shows of a thing, if not all of it. */
  readonly asJson?: (thing: Shown<K>) => object;
}

interface ThingWork<K extends Kind> extends Pick<Look<K>, 'order' | 'asJson'> {
  /** What things of this kind are called by. */
  readonly id: Input<string> & Sure;
  readonly fields: Fields<Shown<K>>;
  /** The line for people. */
  readonly added?: (id: string, thing: Shown<K>) => string;
  readonly remarks?: (thing: Shown<K>, isNew: boolean) => readonly string[];
  /** The line for people, and the result. */
  readonly removed: (id: string, endedGrants: number) => readonly [line: string, done: object];
}

interface Words {
  readonly about: string;
  readonly arguments?: Inputs;
  readonly options?: Inputs;
  readonly examples: readonly [string, ...string[]];
}

/** What declares the commands of a kind. */
export function registered<K extends Kind>(kind: K, work: ThingWork<K>) {
  const { id, fields, asJson = whole } = work;
  const ID = { id };
  return {
    add: (words: Words) =>
      administers({
        ...words,
        arguments: { ...ID, ...words.arguments },
        options: fields.optionsOf('add'),
        run: (given, place) => addThing(kind, work, given, place),
      }),
    change: (words: Words) =>
      administers({
        ...words,
        arguments: ID,
        options: fields.optionsOf('change'),
        run: (given, place) => changeThing(kind, work, given, place),
      }),
    list: (words: Words) =>
      administers({
        ...words,
        options: { ...words.options, ...AS_JSON },
        run: (given, place) => printList(kind, given, place, { ...fields, ...work }),
      }),
    show: (words: Words) =>
      administers({
        ...words,
        arguments: ID,
        options: AS_JSON,
        run: async ({ id: name, json }, { act }) => {
          const value = await act<`${K}-show`>(`${kind}-show`, { id: name });
          if (json) printJson(asJson(value));
          else printRecord(fields.record(value));
        },
      }),
    remove: (words: Words) =>
      administers({
        ...words,
        arguments: ID,
        run: (given, place) => removeThing(kind, work, given, place),
      }),
  };
}

type Named = { readonly id: string };

async function addThing<K extends Kind>(
  kind: K,
  { fields, added = () => '', remarks, asJson = whole }: ThingWork<K>,
  { id, ...given }: Named,
  { act }: Administration,
): Promise<void> {
  const put = await act(`${kind}-put`, { id, body: fields.body(given), onlyIf: 'absent' });
  const thing = put as Shown<K>;
  print(added(id, thing));
  for (const line of remarks?.(thing, true) ?? []) remark(line);
  result(asJson(thing));
}

const MOST_TRIES = 20;

/** Says before what the change weakens; again if somebody else changes it meanwhile. */
async function changeThing<K extends Kind>(
  kind: K,
  { fields, remarks, asJson = whole }: ThingWork<K>,
  { id, ...given }: Named,
  { attempt }: Administration,
): Promise<void> {
  // That an address may be shared is no change by itself.
  if (Object.keys(given).every((name) => name === 'shared'))
    throw new CommandFailure('usage', 'say what to change', `See: tessera ${kind} change --help`);
  for (let tries = 1; ; tries++) {
    const { value, revision } = accepted(await attempt<`${K}-show`>(`${kind}-show`, { id }));
    const next = fields.body(given, value);
    warnOf(value, next);
    const put = await attempt(`${kind}-put`, { id, body: next, onlyIf: revision });
    if (!put.ok && put.refusal.reason === 'changed-meanwhile' && tries < MOST_TRIES) continue;
    const thing = accepted(put).value as Shown<K>;
    print(`Changed ${nameOf(thing, id)}`);
    for (const line of remarks?.(thing, false) ?? []) remark(line);
    return result(asJson(thing));
  }
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

export async function printList<K extends Kind | 'grant'>(
  kind: K,
  { json, limit = Number.POSITIVE_INFINITY, ...query }: ListFlags,
  administration: Administration,
  { columns, row, asJson = whole, order }: Look<K>,
): Promise<void> {
  const found = (await itemsOf(`${kind}-list`, query, administration, limit + 1)) as readonly Shown<K>[];
  const shown = found.slice(0, limit).sort(order ?? (() => 0));
  if (json) printJson(shown.map(asJson));
  else printTable(columns, shown.map(row));
  if (found.length > limit) remark(`There are more than ${limit}; see --limit.`);
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

export function switches(
  kind: 'integration' | 'identity',
  verb: 'enable' | 'disable',
  id: ThingWork<Kind>['id'],
  words: Words,
) {
  return administers({
    ...words,
    arguments: { id },
    run: async ({ id: name }, { act }) => {
      const value = await act(`${kind}-${verb}`, { id: name });
      print(`The ${kind} ${nameOf(value, name)} is ${verb}d`);
      result(value);
    },
  });
}

async function removeThing<K extends Kind>(
  kind: K,
  { removed }: ThingWork<K>,
  { id: name, yes = false }: Named & { readonly yes?: unknown },
  { act }: Administration,
): Promise<void> {
  const ended = await act<'identity-remove'>(`${kind}-remove` as 'identity-remove', {
    id: name,
    query: { confirmed: yes },
  });
  const { id = name, endedGrants = 0 } = ended;
  const [line, done] = removed(id, endedGrants);
  print(line);
  result(done);
}
