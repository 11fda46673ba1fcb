// The project's own files, as the house tests read them.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

export const ROOT = join(import.meta.dirname, '..', '..');

export interface Source {
  /** From the root, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

export function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** The files under a folder with this ending; none if the folder is missing. */
export function sourcesIn(folder: string, ending: string): Source[] {
  const start = join(ROOT, folder);
  if (!existsSync(start)) return [];
  return readdirSync(start, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((path) => !/(?:^|\/)(?:node_modules|dist)\//.test(path))
    .sort()
    .map((path) => ({ path, text: read(path) }));
}

/** Code with comments blanked and, if asked, the insides of strings: same length, so that places still match. */
export function codeOf(text: string, { keepStrings = false } = {}): string {
  const token = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/g;
  const blank = (part: string) => part.replace(/[^\n]/g, ' ');
  return text.replace(token, (part) => (keepStrings && /^['"]/.test(part) ? part : blank(part)));
}

/** The body cells of the first Markdown table whose header begins with these cells. */
export function tableOf(markdown: string, header: readonly string[]): string[][] {
  const lines = markdown.split('\n');
  const cells = (line: string) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
  const start = lines.findIndex((line) => line.startsWith('|') && header.every((name, at) => cells(line)[at] === name));
  if (start < 0) return [];
  const rest = lines.slice(start + 2);
  const end = rest.findIndex((line) => !line.startsWith('|'));
  return rest.slice(0, end < 0 ? undefined : end).map(cells);
}

/** The texts between backticks. */
export function quoted(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1] as string);
}
