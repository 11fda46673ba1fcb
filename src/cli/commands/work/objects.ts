import { createInterface } from 'node:readline/promises';
import { objectsText, readObjectFiles } from '../../../config/objects-file.ts';
import { weakeningsOf } from '../../../core/rules/weakening.ts';
import { OBJECTS_SCHEMA, type ObjectChange } from '../../../operations/admin/objects.ts';
import { CommandFailure, EXIT } from '../../terminal/exit.ts';
import { counted, isForScripts, print, printJson, result } from '../../terminal/output.ts';
import { wholeFact } from '../event-lines.ts';
import type { Administration } from '../steps.ts';

type FileFlags = { readonly file: readonly string[]; readonly prune?: boolean; readonly yes?: boolean };

export async function exportAll(
  { schema, json }: { schema?: true; json?: true },
  { act }: Administration,
): Promise<void> {
  if (schema) return printJson(OBJECTS_SCHEMA);
  const value = await act('object-export');
  if (json) printJson(value);
  else process.stdout.write(objectsText(value));
}

export async function diff(flags: FileFlags, { act }: Administration): Promise<void> {
  const { items } = await act('object-plan', { body: bodyOf(flags) });
  show(items);
  result(items);
  if (items.length > 0) process.exitCode = EXIT.usage;
}

export async function apply(flags: FileFlags, { act }: Administration): Promise<void> {
  const body = bodyOf(flags);
  const { items, digest } = await act('object-plan', { body });
  show(items);
  if (items.length > 0) {
    if (!flags.yes && !(await isConfirmed(items.length)))
      throw new CommandFailure('refused', 'nothing was changed', 'Confirm it with --yes, or at a terminal.');
    await act('object-apply', { body: { ...body, digest } });
    print(`Applied ${counted(items.length, 'change')}`);
  }
  result(items);
}

function bodyOf({ file, prune = false }: FileFlags): object {
  const { objects, repeated } = readObjectFiles(file);
  if (repeated !== undefined)
    throw new CommandFailure('refused', `${repeated} is described twice`, 'Describe each thing once.');
  return { objects, prune };
}

async function isConfirmed(changes: number): Promise<boolean> {
  if (!process.stdin.isTTY || isForScripts()) return false;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(`Apply ${counted(changes, 'change')}? [y/N] `);
  terminal.close();
  return /^y(?:es)?$/i.test(answer.trim());
}

const SIGNS = { create: '+', change: '~', remove: '-' } as const;

function show(changes: readonly ObjectChange[]): void {
  if (changes.length === 0) print('No difference');
  for (const { section, id, does, fields } of changes) {
    print(`${SIGNS[does]} ${section}.${id}`);
    if (does !== 'change') continue;
    for (const [name, { before, after }] of Object.entries(fields))
      print(`    ${name}: ${wholeFact(before)} -> ${wholeFact(after)}`);
    for (const line of weakeningsOf(Object.entries(fields))) print(`    Warning: ${line}`);
  }
}
