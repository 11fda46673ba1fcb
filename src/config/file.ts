import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Document, isMap, isNode, isScalar, LineCounter, parseDocument, type YAMLParseError } from 'yaml';
import { ConfigFault, type Mistake } from './mistake.ts';
import { lacksSpace, SPACE_AFTER_COLON } from './read.ts';

const USUAL_NAME = 'tessera.yaml';

export interface ConfigFile {
  readonly path: string;
  readonly tree: Record<string, unknown>;
  /** `tessera.yaml:12`, for the line of the nearest setting that is really there. */
  lineOf(path: readonly (string | number)[]): string;
}

/** The file that was named, by flag or by variable; else tessera.yaml here, if there is one. */
export function findConfigFile(named: string | undefined): string | undefined {
  if (named !== undefined) return resolve(named);
  return existsSync(USUAL_NAME) ? resolve(USUAL_NAME) : undefined;
}

export function readConfigFile(path: string): ConfigFile {
  const lines = new LineCounter();
  const document = parseDocument(readText(path), { lineCounter: lines, uniqueKeys: true });
  const [error] = document.errors;
  if (error) throw new ConfigFault([yamlMistake(error, path)]);
  const tree: unknown = treeOf(document, path) ?? {};
  if (typeof tree !== 'object' || Array.isArray(tree)) throw new ConfigFault([noSettings(tree, path)]);
  return { path, tree: tree as Record<string, unknown>, lineOf: (at) => `${path}:${lineOf(document, lines, at)}` };
}

function noSettings(tree: unknown, path: string): Mistake {
  const found = Array.isArray(tree) ? 'a list' : JSON.stringify(String(tree).slice(0, 60));
  const todo = lacksSpace(tree) ? { todo: SPACE_AFTER_COLON } : {};
  const example = 'log:\n    level: debug';
  return { path: '', problem: `expected settings; found ${found}`, example, ...todo, source: path };
}

const REMEDIES: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: 'Indent with spaces: YAML does not allow tabs there.',
  DUPLICATE_KEY: 'Give each setting once: put both parts under one name.',
  MISSING_CHAR: 'Close the quote or the bracket, or put the value in quotes.',
  BAD_INDENT: 'Settings of one group begin in the same column.',
  BAD_ALIAS: 'Put the value in quotes: * and & at its beginning mean something else in YAML.',
  BLOCK_AS_IMPLICIT_KEY:
    'Is the next line indented too far? Settings of one group begin in the same column. Put a value with ": " or " #" in quotes.',
  MULTIPLE_DOCS: 'Remove the line ---: the file is one document.',
  MULTILINE_IMPLICIT_KEY: 'Write one setting per line as name: value; a colon or a space may be missing.',
};
const USUAL_REMEDY =
  'Check the indentation of this line and the one above, and put values with special characters in quotes.';

const LIST_REMEDY = 'Settings of one entry of a list begin in the same column, behind the dash.';

function yamlMistake({ code, message, linePos }: YAMLParseError, path: string): Mistake {
  const line = linePos?.[0].line;
  return {
    path: '',
    problem: `not valid YAML: ${oneLine(message).replace(/; please use .*/, '')}`,
    // The parser has the same code for a missing bracket.
    todo: message.startsWith('Sequence item without - indicator') ? LIST_REMEDY : (REMEDIES[code] ?? USUAL_REMEDY),
    source: line === undefined ? path : `${path}:${line}`,
  };
}

/** Limits aliases: nested ones could expand until memory is full. */
function treeOf(document: Document, path: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 20 });
  } catch (error) {
    const todo = 'Write the settings without aliases (*name).';
    throw new ConfigFault([{ path: '', problem: `not valid YAML: ${(error as Error).message}`, todo, source: path }]);
  }
}

const UNREADABLE: Readonly<Record<string, readonly [problem: string, todo?: string]>> = {
  ENOENT: ['there is no such file. `tessera init` writes one'],
  EACCES: ['this user may not read it', 'Run this as the user that runs the service, or let that user read the file.'],
  ERR_ENCODING_INVALID_ENCODED_DATA: ['it is not UTF-8', 'Save the file as UTF-8.'],
  EISDIR: ['it is a folder', 'Name the file itself, for example with tessera.yaml at the end.'],
};

const UTF8 = new TextDecoder('utf-8', { fatal: true });

function readText(path: string): string {
  try {
    return UTF8.decode(readFileSync(path));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const [problem, todo] = UNREADABLE[code ?? ''] ?? [`cannot be read (${code})`, 'Check the path.'];
    throw new ConfigFault([{ path: '', problem, ...(todo !== undefined && { todo }), source: path }]);
  }
}

function lineOf(document: Document, lines: LineCounter, path: readonly (string | number)[]): number {
  for (let length = path.length; length > 0; length--) {
    const start = startOf(document, path.slice(0, length));
    if (start !== undefined) return lines.linePos(start).line;
  }
  return 1;
}

/** Where a setting begins: at its key, because the content of a group begins a line below. Entries of a list have no key. */
function startOf(document: Document, path: readonly (string | number)[]): number | undefined {
  const parent = document.getIn(path.slice(0, -1), true);
  const pair = isMap(parent) ? parent.items.find(({ key }) => isScalar(key) && key.value === path.at(-1)) : undefined;
  const node = pair ? pair.key : document.getIn(path, true);
  return isNode(node) ? node.range?.[0] : undefined;
}

/** The first line of the parser's message; the others draw the position. */
function oneLine(message: string): string {
  return message.split('\n')[0]?.replace(/(?: at line \d+, column \d+)?:?$/, '') ?? message;
}
