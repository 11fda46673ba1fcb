// Lists: an entry per line.
import { enConsole } from '../../parts/texts/en-console.ts';
import { parseJson } from '../frame.ts';
import type { Keywords } from '../things.ts';
import { plain, type Sort, textArea } from './field.ts';
import { readRules, writeRules } from './rules.ts';

const words = enConsole.form;

/** Texts. If the list is needed, an empty one is an empty list. */
export const lines: Sort = {
  show: (field) => textArea(field, entriesOf(field.value).map(plain).join('\n'), 3, words.lines),
  read: (form, { path, isRequired }) => linesIn(form[path]) ?? (isRequired ? [] : undefined),
};

/** Objects of texts: their members in a row. */
export const rows: Sort = {
  show: (field) => {
    const names = membersIn(field.schema);
    const row = (entry: unknown) => names.map((name) => plain((entry as Readonly<Record<string, unknown>>)[name]));
    const shown = entriesOf(field.value).map((entry) => row(entry).join(' '));
    return textArea(field, shown.join('\n'), 3, `${words.rows(names)} ${words.lines}`);
  },
  read: (form, { path, schema, isRequired }) => {
    const names = membersIn(schema);
    const row = (line: string) => line.split(/[\s=]+/).map((text, at) => [names[at] ?? words.tooMuch, text]);
    const entries = linesIn(form[path])?.map((line) => Object.fromEntries(row(line)));
    return entries ?? (isRequired ? [] : undefined);
  },
};

/** The rules of a token issuer. */
export const rules: Sort = {
  show: (field) => textArea(field, writeRules(field.value), 8, words.rules),
  read: (form, { path }) => readRules(form[path] ?? ''),
};

/** Objects that are more than texts. */
export const json: Sort = {
  show: (field) => {
    const shown = field.value === undefined ? '' : JSON.stringify(field.value, undefined, 2);
    return textArea(field, shown, 12, words.json);
  },
  read: (form, { path }) => (form[path] === undefined ? undefined : parseJson(form[path])),
};

function entriesOf(value: unknown): readonly unknown[] {
  return (value ?? []) as readonly unknown[];
}

function linesIn(text: string | undefined): string[] | undefined {
  return text?.split('\n').flatMap((line) => line.trim() || []);
}

function membersIn({ items }: Keywords): readonly string[] {
  return Object.keys(items?.properties ?? {});
}
