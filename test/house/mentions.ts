// What the Markdown pages mention: code spans, code blocks, links and headings.
import { posix } from 'node:path';
import type { Source } from './sources.ts';

export interface Mention {
  /** The page that mentions it. */
  readonly page: string;
  readonly text: string;
}

export interface Block {
  readonly page: string;
  readonly language: string;
  readonly text: string;
}

const FENCE = /^( *)```(\w*)\n([\s\S]*?)^ *```$/gm;

export function blocksOf({ path, text }: Source): Block[] {
  return [...text.matchAll(FENCE)].map(([, indent = '', language = '', body = '']) => ({
    page: path,
    language,
    text: body.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }));
}

/** Texts between backticks, outside code blocks. A line break inside one counts as a space. */
export function spansOf({ path, text }: Source): Mention[] {
  const prose = text.replaceAll(FENCE, '');
  return [...prose.matchAll(/`([^`]+)`/g)].map(([, span = '']) => ({ page: path, text: span.replaceAll(/\s+/g, ' ') }));
}

/** Command lines: spans and lines of code blocks, without prompt, `sudo`, variables, and what a pipe adds. */
export function commandLinesOf(page: Source): Mention[] {
  const lines = blocksOf(page).flatMap(({ text }) => text.replaceAll('\\\n', ' ').split('\n'));
  const all = [...lines.map((text) => ({ page: page.path, text })), ...spansOf(page)];
  return all.map(({ page: path, text }) => ({ page: path, text: bareCommand(text) }));
}

function bareCommand(line: string): string {
  const start = /^\s*(?:\$ |ExecStart\w*=|sudo (?:-u \S+ )?|(?:[A-Z_]+=\S* )+)*/;
  return line
    .replace(start, '')
    .replace(/^\S*\/(?=tessera )/, '')
    .replace(/ (?:[|<>#]|&&) .*$| {3,}.*$/, '');
}

/** Links to other files and to headings, as paths from the root with `#anchor`. */
export function linksOf({ path, text }: Source): Mention[] {
  const targets = [...text.replaceAll(FENCE, '').matchAll(/(?:\]\(|(?:src|href)=")([^)"\s]+)[)"]/g)];
  return targets
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => ({
      page: path,
      text: target.startsWith('#') ? `${path}${target}` : posix.join(posix.dirname(path), target),
    }));
}

/** The anchors of a page's headings, by GitHub's rule. */
export function anchorsOf(markdown: string): Set<string> {
  const headings = [...markdown.replaceAll(FENCE, '').matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => title);
  return new Set(
    headings.map((title) =>
      title
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}
