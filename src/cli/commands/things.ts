// Commands that several kinds of registered things have.
import type { Gives, Listed } from '../../operations/admin/act-formats.ts';
import type { CliCommand } from '../terminal/cli-command.ts';
import { print, printJson, printRecord, printTable, result } from '../terminal/output.ts';
import { accepted } from '../terminal/wording.ts';
import { administering } from './administration.ts';
import { type Administration, itemsOf, type Kind } from './steps.ts';

type Shown<K extends Kind> = Gives[`${K}-show`];

/** Of a kind of things: how one is named on the command line, and shown. */
export interface Things<K extends Kind> {
  readonly kind: K;
  readonly argument: readonly [name: string, about?: string];
  /** As JSON; without it, as it is. */
  readonly asJson?: (thing: Shown<K>) => object;
}

interface Listing<K extends Kind> {
  readonly about: string;
  readonly columns: readonly string[];
  readonly row: (thing: Shown<K>) => readonly (string | number | undefined)[];
  /** About --all. */
  readonly all?: string;
  readonly examples: readonly string[];
}

export function declareList<K extends Kind>(
  group: CliCommand,
  { kind, asJson = (thing) => thing as object }: Things<K>,
  { about, columns, row, all, examples }: Listing<K>,
): void {
  const command = group.command('list').description(about);
  if (all !== undefined) command.option('--all', all);
  const list = async ({ json, ...query }: { json?: true; all?: true }, administration: Administration) => {
    const found = (await itemsOf(`${kind}-list`, query, administration)) as Listed<Shown<K>>['items'];
    if (json) printJson(found.map(asJson));
    else printTable(columns, found.map(row));
  };
  command
    .option('--json', 'as JSON')
    .examples(...examples)
    .runs(administering(list));
}

interface Showing<K extends Kind> {
  readonly about: string;
  readonly record: (thing: Shown<K>) => Readonly<Record<string, string | number | boolean | undefined>>;
  readonly examples: readonly string[];
}

export function declareShow<K extends Kind>(
  group: CliCommand,
  { kind, argument, asJson = (thing) => thing as object }: Things<K>,
  { about, record, examples }: Showing<K>,
): void {
  const show = async (id: string, { json }: { json?: true }, { act }: Administration) => {
    const { value } = accepted(await act<`${K}-show`>(`${kind}-show`, { id }));
    if (json) printJson(asJson(value));
    else printRecord(record(value));
  };
  group
    .command('show')
    .argument(...argument)
    .description(about)
    .option('--json', 'as JSON')
    .examples(...examples)
    .runs(administering(show));
}

/** `enable` and `disable`. */
export function declareSwitch<K extends 'integration' | 'identity'>(
  group: CliCommand,
  { kind, argument }: Things<K>,
  name: 'enable' | 'disable',
  [about, example]: readonly [about: string, example: string],
): void {
  const switchIt = async (id: string, _: unknown, { act }: Administration) => {
    const { value } = accepted(await act<`${K}-enable`>(`${kind}-${name}` as `${K}-enable`, { id }));
    const { id: found = id } = value as { readonly id?: string };
    print(`The ${kind} ${found} is ${name}d`);
    result(value as object);
  };
  group
    .command(name)
    .argument(...argument)
    .description(about)
    .examples(`tessera ${kind} ${name} ${example}`)
    .runs(administering(switchIt));
}
