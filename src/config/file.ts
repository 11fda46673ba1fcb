import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Document, isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml';
import { ConfigFault } from './mistake.ts';

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
  if (error) throw new ConfigFault([{ path: '', problem: oneLine(error.message), source: path }]);
  const tree: unknown = document.toJS({ maxAliasCount: 20 }) ?? {};
  if (typeof tree !== 'object' || Array.isArray(tree)) {
    throw new ConfigFault([
      { path: '', problem: 'expected settings', example: 'log:\n    level: debug', source: path },
    ]);
  }
  return { path, tree: tree as Record<string, unknown>, lineOf: (at) => `${path}:${lineOf(document, lines, at)}` };
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const problem = code === 'ENOENT' ? 'there is no such file. `tessera init` writes one' : `cannot be read (${code})`;
    throw new ConfigFault([{ path: '', problem, source: path }]);
  }
}

function lineOf(document: Document, lines: LineCounter, path: readonly (string | number)[]): number {
  for (let length = path.length; length > 0; length--) {
    const start = startOf(document, path.slice(0, length));
    if (start !== undefined) return lines.linePos(start).line;
  }
  return 1;
}

/** Where a setting begins: at its key, since a group's content begins a line below; an entry of a list at itself. */
function startOf(document: Document, path: readonly (string | number)[]): number | undefined {
  const parent = document.getIn(path.slice(0, -1), true);
  const pair = isMap(parent) ? parent.items.find(({ key }) => isScalar(key) && key.value === path.at(-1)) : undefined;
  const node = pair ? pair.key : document.getIn(path, true);
  return isNode(node) ? node.range?.[0] : undefined;
}

/** The parser draws the place below its message; the first line says it. */
function oneLine(message: string): string {
  return message.split('\n')[0]?.replace(/:$/, '') ?? message;
}
