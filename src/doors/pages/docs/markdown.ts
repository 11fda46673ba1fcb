// The Markdown that our pages use, as HTML: headings, paragraphs, lists, tables, code, quotes, images, links. Nothing else.
import { type Html, html, type Inset } from '../parts/html.ts';

export interface Rendered {
  /** The first heading, as plain text. */
  readonly title: string;
  readonly html: Html;
}

/** How links and pictures are shown. Targets are as in the source. */
export interface Links {
  link(words: Inset, target: string): Inset;
  picture(alt: string, target: string): Inset;
}

export function renderMarkdown(source: string, links: Links): Rendered {
  const titles = [...source.matchAll(/^#{1,6} (.+)$/gm)].map(([, title = '']) => anchorOf(title));
  const page: Page = { headings: [], anchors: new Set(titles) };
  const blocks = blocksOf(source).map((block) => html`${renderBlock(block, page, links)}\n`);
  return { title: page.headings[0] ?? '', html: html`${blocks}` };
}

/** What a page has so far. */
interface Page {
  readonly headings: string[];
  /** Headings, and what the lines of lists begin with in code. */
  readonly anchors: Set<string>;
}

const COMMENT = /^\s*<!--[\s\S]*-->\s*$/;

/** Blocks are separated by blank lines; a code fence is one block. Comments are left out. */
function blocksOf(source: string): string[] {
  const blocks: string[] = [];
  for (const [index, part] of source.split(/^(```[\s\S]*?^```)$/m).entries()) {
    if (index % 2 === 1) blocks.push(part);
    else blocks.push(...part.split(/\n\s*\n|\n(?=#{1,6} )|(?<=^#{1,6} .*)\n/m).filter((block) => block.trim() !== ''));
  }
  return blocks.filter((block) => !COMMENT.test(block));
}

function renderBlock(block: string, page: Page, links: Links): Html {
  const text = block.replace(/^\n+|\s+$/g, '');
  if (text.startsWith('```')) {
    const code = text.split('\n').slice(1, -1).join('\n');
    return html`<pre${scrollable('Code', page)}><code translate="no">${code}</code></pre>`;
  }
  if (/^#{1,6} /.test(text)) return renderHeading(text, page, links);
  if (text.startsWith('|')) return renderTable(text.split('\n'), page, links);
  if (text.startsWith('>')) return html`<blockquote><p>${inline(text.replace(/^> ?/gm, ''), links)}</p></blockquote>`;
  if (/^(?:[-*]|\d+\.) /.test(text)) return renderList(text, page, links);
  return html`<p>${inline(text, links)}</p>`;
}

/** A keyboard can scroll what is wider than the screen, and hears what it is in. The shadow at its edges is in parts.css. */
function scrollable(kind: 'Code' | 'Table', { headings }: Page): Html {
  return html` tabindex="0" role="group" aria-label="${kind}: ${headings.at(-1)}"`;
}

function renderHeading(text: string, { headings }: Page, links: Links): Html {
  const [marks = '#'] = text.split(' ');
  const title = text.slice(marks.length + 1);
  headings.push(title.replaceAll('`', ''));
  return html`<h${marks.length} id="${anchorOf(title)}">${inline(title, links)}</h${marks.length}>`;
}

/** As GitHub makes them. */
function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
}

function renderTable(lines: readonly string[], page: Page, links: Links): Html {
  const [head = '', rule = '', ...rows] = lines;
  const isRight = cellsOf(rule).map((cell) => cell.endsWith(':'));
  const alignment = (at: number) => isRight[at] === true && html` class="right"`;
  const cells = (line: string) => cellsOf(line).map((cell) => html`${inline(cell, links)}`);
  const body = rows.map(
    (line) => html`<tr>${cells(line).map((cell, at) => html`<td${alignment(at)}>${cell}</td>`)}</tr>\n`,
  );
  // A header without words would be announced as one: it is a plain cell.
  const header = cellsOf(head).map((cell, at) =>
    cell === '' ? html`<td></td>` : html`<th${alignment(at)}>${inline(cell, links)}</th>`,
  );
  return html`<div class="table"${scrollable('Table', page)}><table><thead><tr>${header}</tr></thead><tbody>${body}</tbody></table></div>`;
}

function cellsOf(line: string): string[] {
  return line
    .replace(/^\||\|\s*$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));
}

/** Each name before the colon becomes an anchor, unless the page has it. */
function anchorsIn(line: string, { anchors }: Page): readonly Html[] {
  const [names = ''] = /^`[^:]+`(?=: )/.exec(line) ?? [];
  const found = [...names.matchAll(/`([\w-]+)`/g)].map(([, name = '']) => name).filter((name) => !anchors.has(name));
  for (const name of found) anchors.add(name);
  return found.map((name) => html`<span id="${name}"></span>`);
}

function renderList(text: string, page: Page, links: Links): Html {
  const items = text.split(/\n(?=(?:[-*]|\d+\.) )/).map((item) => {
    const [own = '', ...nested] = item.replace(/^(?:[-*]|\d+\.) /, '').split(/\n\s+(?=[-*] )/);
    const below = nested.map((line) => html`<li>${inline(line.slice(2), links)}</li>`);
    return html`<li>${anchorsIn(own, page)}${inline(own, links)}${below.length > 0 && html`<ul>${below}</ul>`}</li>\n`;
  });
  return /^\d/.test(text) ? html`<ol>${items}</ol>` : html`<ul>${items}</ul>`;
}

const CODE = '`([^`]+)`';
const IMAGE = '!\\[([^\\]]*)\\]\\(([^)]+)\\)';
const LINK = '\\[((?:`[^`]*`|[^\\]`])+)\\]\\(([^)]+)\\)';
const STRONG = '\\*\\*((?:`[^`]*`|[^*`])+)\\*\\*';
const EMPHASIS = '(?<=^|[\\s(|])\\*((?:`[^`]*`|[^*\\s`])(?:`[^`]*`|[^*`])*)\\*';
const INLINE = new RegExp([CODE, IMAGE, LINK, STRONG, EMPHASIS, '(<br>)'].join('|'), 'g');

function inline(text: string, links: Links): Inset {
  const parts: Inset[] = [];
  let end = 0;
  for (const found of text.matchAll(INLINE)) {
    parts.push(text.slice(end, found.index), marked(found, links));
    end = found.index + found[0].length;
  }
  return [...parts, text.slice(end)];
}

function marked([all, code, alt, picture, words, target, strong, emphasis]: RegExpExecArray, links: Links): Inset {
  if (code !== undefined) return html`<code>${code}</code>`;
  if (picture !== undefined) return links.picture(alt ?? '', picture);
  if (words !== undefined) return links.link(inline(words, links), target ?? '');
  if (strong !== undefined) return html`<strong>${inline(strong, links)}</strong>`;
  if (emphasis !== undefined) return html`<em>${inline(emphasis, links)}</em>`;
  return all === '<br>' ? html`<br>` : all;
}
