// Work that several kinds of registered things have.
import type { Gives, Listed } from '../../operations/admin/act-formats.ts';
import { print, printJson, printRecord, printTable, remark, result } from '../terminal/output.ts';
import { administering } from './administration.ts';
import { type Administration, itemsOf, type Kind } from './steps.ts';

type Shown<K extends Kind | 'grant'> = Gives[`${K}-show`];

interface ListFlags {
  readonly json?: true;
  readonly limit?: number;
}

/** `asJson`: what --json shows of a thing, if not all of it. */
export function lists<K extends Kind | 'grant'>(
  kind: K,
  columns: readonly string[],
  row: (thing: Shown<K>) => readonly (string | number | undefined)[],
  asJson = (thing: Shown<K>) => thing as object,
  order: (a: Shown<K>, b: Shown<K>) => number = () => 0,
) {
  return administering(
    async ({ json, limit = Number.POSITIVE_INFINITY, ...query }: ListFlags, administration: Administration) => {
      const found = (await itemsOf(`${kind}-list`, query, administration, limit + 1)) as Listed<Shown<K>>['items'];
      const shown = found.slice(0, limit).sort(order);
      if (json) printJson(shown.map(asJson));
      else printTable(columns, shown.map(row));
      if (found.length > limit) remark(`There are more than ${limit}; see --limit.`);
    },
  );
}

export function shows<K extends Kind | 'grant'>(
  kind: K,
  record: (thing: Shown<K>) => Readonly<Record<string, string | number | boolean | undefined>>,
  asJson = (thing: Shown<K>) => thing as object,
) {
  return administering(async (id: string, { json }: { json?: true }, { act }: Administration) => {
    const value = await act<`${K}-show`>(`${kind}-show`, { id });
    if (json) printJson(asJson(value));
    else printRecord(record(value));
  });
}

export function switches<K extends 'integration' | 'identity'>(kind: K, verb: 'enable' | 'disable') {
  return administering(async (id: string, _: unknown, { act }: Administration) => {
    const value = await act<`${K}-enable`>(`${kind}-${verb}` as `${K}-enable`, { id });
    const { id: found = id } = value as { readonly id?: string };
    print(`The ${kind} ${found} is ${verb}d`);
    result(value as object);
  });
}

/** `said`: the line for people, and the result. */
export function removes(kind: Kind, said: (id: string, endedGrants: number) => readonly [line: string, done: object]) {
  return administering(async (name: string, { yes = false }: { yes?: boolean }, { act }: Administration) => {
    const removed = await act(`${kind}-remove`, { id: name, query: { confirmed: yes } });
    const [line, done] = said(removed.id ?? name, removed.endedGrants ?? 0);
    print(line);
    result(done);
  });
}

export function yesNo(value: boolean | undefined): string {
  return value ? 'yes' : 'no';
}
