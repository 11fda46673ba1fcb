// Output of commands: tables and records for people, JSON for scripts. Standard output carries results only.

/** How the reader runs this program: in a checkout by npm, else as the installed command. */
export const TESSERA = import.meta.filename.endsWith('.ts') ? 'npm run --silent tessera --' : 'tessera';

const IS_BY_NPM = ['tessera', 'start'].includes(process.env['npm_lifecycle_event'] ?? '');

let service = '';

/** The flags that name the service which this command administers: commands that it prints repeat them. */
export function expectService(flags: { readonly server?: string; readonly login?: string }): void {
  service = Object.entries(flags)
    .map(([name, value]) => `--${name} ${value} `)
    .join('');
}

const AT_A_SERVICE =
  /(?<![\w./-])tessera (?=(?:integration|resource-server|identity|issuer|token-issuer|grant|events|refusals|explain) )/g;

/** A text whose commands can be pasted: if npm runs this, there is no command `tessera`. */
function pasteable(given: string): string {
  const text = service === '' ? given : given.replace(AT_A_SERVICE, `tessera ${service}`);
  return IS_BY_NPM ? text.replace(/(?<![\w./-])tessera (?=[a-z]{3}|--?[a-z])/g, `${TESSERA} `) : text;
}

/** Column names, then rows. An empty cell is shown as a dash. */
export function printTable(
  columns: readonly string[],
  rows: readonly (readonly (string | number | undefined)[])[],
): void {
  const cells = [columns.map((name) => name.toUpperCase()), ...rows.map((row) => row.map(cellText))];
  const widths = columns.map((_, index) => Math.max(...cells.map((row) => row[index]?.length ?? 0)));
  for (const row of cells) {
    const line = row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join('  ');
    forPeople().write(`${line.trimEnd()}\n`);
  }
  if (rows.length === 0) forPeople().write('(none)\n');
}

export function printRecord(record: Readonly<Record<string, string | number | boolean | undefined>>): void {
  const shown = Object.entries(record).filter(([, value]) => value !== undefined);
  const width = Math.max(...shown.map(([name]) => name.length));
  for (const [name, value] of shown) forPeople().write(`${name.padEnd(width)}  ${cellText(value)}\n`);
}

export function printJson(value: unknown): void {
  process.stdout.write(`${inertJson(JSON.stringify(value, undefined, 2))}\n`);
}

/** One JSON value on one line, for streams of values. */
export function printJsonLine(value: unknown): void {
  process.stdout.write(`${inertJson(JSON.stringify(value))}\n`);
}

let isJsonExpected = false;

/** With --json, standard output carries JSON only: lines for people go to standard error. */
export function expectJson(isExpected: boolean): void {
  isJsonExpected = isExpected;
}

export function isForScripts(): boolean {
  return isJsonExpected;
}

/** A line for people. */
export function print(line: string): void {
  forPeople().write(`${inert(pasteable(line))}\n`);
}

function forPeople(): NodeJS.WriteStream {
  return isJsonExpected ? process.stderr : process.stdout;
}

/** A line with a secret. With --json the secret is in the result, and nowhere else. */
export function printSecret(line: string): void {
  if (!isJsonExpected) process.stdout.write(`${line}\n`);
}

/** What an act resulted in, for scripts: printed with --json only. */
export function result(value: object): void {
  if (isJsonExpected) printJson(value);
}

/** A text that is the whole result, such as a secret. With --json it is printed as part of `value` only. */
export function printOnly(text: string, value: object): void {
  if (isJsonExpected) printJson(value);
  else process.stdout.write(`${inert(text)}\n`);
}

/** A note for the person at the terminal, on standard error. */
export function remark(line: string): void {
  process.stderr.write(`${inert(pasteable(line))}\n`);
}

/** `1 grant`, `2 grants`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}

function cellText(value: string | number | boolean | undefined): string {
  return value === undefined || value === '' ? '-' : inert(String(value)).replaceAll(/[\n\t]/g, '?');
}

/** Control and format characters (bidirectional ones among them), line separators, lone surrogates. */
const ACTIVE = /[^\P{C}\n\t]|[\u2028\u2029]/gu;

/** Text of others, such as a server or a file, must not control the terminal. */
function inert(text: string): string {
  return text.replace(ACTIVE, '?');
}

/** The same in JSON, where it is escaped and keeps its value. */
function inertJson(text: string): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return text.replace(ACTIVE, (character) => character.split('').map(escaped).join(''));
}
