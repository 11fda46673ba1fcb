// The Markdown that our pages use, as HTML: headings, paragraphs, lists, tables, code, quotes, images, links. Nothing else.
import { type Html, html, type Inset } from '../parts/html.ts';

export interface Heading {
  readonly level: number;
  readonly text: string;
  readonly anchor: string;
}

export interface Rendered {
  readonly html: Html;
  readonly headings: readonly Heading[];
}

/** Where a link or a picture of the source leads. `undefined`: nowhere here, so only its words are shown. */
export type LinkTo = (target: string) => string | undefined;

export function renderMarkdown(source: string, linkTo: LinkTo): Rendered {
  const headings: Heading[] = [];
  const blocks = blocksOf(source).map((block) => html`${renderBlock(block, headings, linkTo)}\n`);
  return { html: html`${blocks}`, headings };
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

function renderBlock(block: string, headings: Heading[], linkTo: LinkTo): Html {
  const text = block.replace(/^\n+|\s+$/g, '');
  if (text.startsWith('```')) return renderCode(text.split('\n').slice(1, -1).join('\n'), headings);
  if (/^#{1,6} /.test(text)) return renderHeading(text, headings, linkTo);
  if (text.startsWith('|')) return renderTable(text.split('\n'), headings, linkTo);
  if (text.startsWith('>')) return html`<blockquote><p>${inline(text.replace(/^> ?/gm, ''), linkTo)}</p></blockquote>`;
  if (/^(?:[-*]|\d+\.) /.test(text)) return renderList(text, linkTo);
  if (text.startsWith('<img ')) return renderImage(text, linkTo);
  return html`<p>${inline(text, linkTo)}</p>`;
}

function renderCode(code: string, headings: readonly Heading[]): Html {
  return html`<pre${scrollable('Code', headings)}><code translate="no">${code}</code></pre>`;
}

/** A keyboard can scroll what is wider than the screen, and hears what it is in. The shadow at its edges is in parts.css. */
function scrollable(kind: 'Code' | 'Table', headings: readonly Heading[]): Html {
  return html` tabindex="0" role="group" aria-label="${kind}: ${headings.at(-1)?.text}"`;
}

function renderHeading(text: string, headings: Heading[], linkTo: LinkTo): Html {
  const { level, title, anchor } = headingOf(text);
  headings.push({ level, text: title.replaceAll('`', ''), anchor });
  return html`<h${level} id="${anchor}">${inline(title, linkTo)}</h${level}>`;
}

export function headingOf(line: string): { readonly level: number; readonly title: string; readonly anchor: string } {
  const [marks = '#'] = line.split(' ');
  const title = line.slice(marks.length + 1);
  return { level: marks.length, title, anchor: anchorOf(title) };
}

/** As GitHub makes them. */
function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
}

function renderTable(lines: readonly string[], headings: readonly Heading[], linkTo: LinkTo): Html {
  const [head = '', rule = '', ...rows] = lines;
  const isRight = cellsOf(rule).map((cell) => cell.endsWith(':'));
  const alignment = (at: number) => isRight[at] === true && html` class="right"`;
  const cells = (line: string) => cellsOf(line).map((cell) => inline(cell, linkTo));
  const body = rows.map(
    (line) => html`<tr>${cells(line).map((cell, at) => html`<td${alignment(at)}>${cell}</td>`)}</tr>\n`,
  );
  // A header without words would be announced as one: it is a plain cell.
  const header = cellsOf(head).map((cell, at) =>
    cell === '' ? html`<td></td>` : html`<th${alignment(at)}>${inline(cell, linkTo)}</th>`,
  );
  return html`<div class="table"${scrollable('Table', headings)}><table><thead><tr>${header}</tr></thead><tbody>${body}</tbody></table></div>`;
}

function cellsOf(line: string): string[] {
  return line
    .replace(/^\||\|\s*$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));
}

function renderList(text: string, linkTo: LinkTo): Html {
  const items = text.split(/\n(?=(?:[-*]|\d+\.) )/).map((item) => {
    const [own = '', ...nested] = item.replace(/^(?:[-*]|\d+\.) /, '').split(/\n\s+(?=[-*] )/);
    const below = nested.map((line) => html`<li>${inline(line.slice(2), linkTo)}</li>`);
    return html`<li>${inline(own, linkTo)}${below.length > 0 && html`<ul>${below}</ul>`}</li>\n`;
  });
  return /^\d/.test(text) ? html`<ol>${items}</ol>` : html`<ul>${items}</ul>`;
}

/** An HTML tag, because Markdown has no width. */
function renderImage(tag: string, linkTo: LinkTo): Html {
  const attribute = (name: string) => new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? '';
  const target = linkTo(attribute('src'));
  if (target === undefined) return html`<p>${attribute('alt')}</p>`;
  return html`<p><img src="${target}" alt="${attribute('alt')}" width="${attribute('width')}"></p>`;
}

const CODE = '`([^`]+)`';
const IMAGE = '!\\[([^\\]]*)\\]\\(([^)]+)\\)';
const LINK = '\\[((?:`[^`]*`|[^\\]`])+)\\]\\(([^)]+)\\)';
const STRONG = '\\*\\*((?:`[^`]*`|[^*`])+)\\*\\*';
const EMPHASIS = '(?<=^|[\\s(|])\\*((?:`[^`]*`|[^*\\s`])(?:`[^`]*`|[^*`])*)\\*';
const INLINE = new RegExp([CODE, IMAGE, LINK, STRONG, EMPHASIS, '(<br>)'].join('|'), 'g');

function inline(text: string, linkTo: LinkTo): Inset {
  const parts: Inset[] = [];
  let end = 0;
  for (const found of text.matchAll(INLINE)) {
    parts.push(text.slice(end, found.index), marked(found, linkTo));
    end = found.index + found[0].length;
  }
  return [...parts, text.slice(end)];
}

function marked([all, code, alt, picture, words, target, strong, emphasis]: RegExpExecArray, linkTo: LinkTo): Inset {
  if (code !== undefined) return html`<code>${code}</code>`;
  if (picture !== undefined) return html`<img src="${linkTo(picture) ?? ''}" alt="${alt}">`;
  if (words !== undefined) return linked(inline(words, linkTo), linkTo(target ?? ''));
  if (strong !== undefined) return html`<strong>${inline(strong, linkTo)}</strong>`;
  if (emphasis !== undefined) return html`<em>${inline(emphasis, linkTo)}</em>`;
  return all === '<br>' ? html`<br>` : all;
}

function linked(words: Inset, target: string | undefined): Inset {
  return target === undefined ? words : html`<a href="${target}">${words}</a>`;
}
