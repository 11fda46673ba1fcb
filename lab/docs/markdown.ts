// The Markdown that our pages use, as HTML: headings, paragraphs, lists, tables, code, quotes, images, links. Nothing else.

export interface Heading {
  readonly level: number;
  readonly text: string;
  readonly anchor: string;
}

export interface Rendered {
  readonly html: string;
  readonly headings: readonly Heading[];
}

/** `linkTo`: where a link of the source leads in the site. */
export function renderMarkdown(source: string, linkTo: (target: string) => string): Rendered {
  const headings: Heading[] = [];
  const blocks = blocksOf(source).map((block) => renderBlock(block, headings, (text) => inline(text, linkTo)));
  return { html: blocks.join('\n'), headings };
}

/** Blocks are separated by blank lines; a code fence is one block. */
function blocksOf(source: string): string[] {
  const blocks: string[] = [];
  for (const [index, part] of source.split(/^(```[\s\S]*?^```)$/m).entries()) {
    if (index % 2 === 1) blocks.push(part);
    else blocks.push(...part.split(/\n\s*\n|\n(?=#{1,6} )|(?<=^#{1,6} .*)\n/m).filter((block) => block.trim() !== ''));
  }
  return blocks;
}

type Inline = (text: string) => string;

function renderBlock(block: string, headings: Heading[], words: Inline): string {
  const text = block.replace(/^\n+|\s+$/g, '');
  if (text.startsWith('```')) return `<pre><code>${escaped(text.split('\n').slice(1, -1).join('\n'))}</code></pre>`;
  if (/^#{1,6} /.test(text)) return renderHeading(text, headings, words);
  if (text.startsWith('|')) return renderTable(text.split('\n'), words);
  if (text.startsWith('>')) return `<blockquote><p>${words(text.replace(/^> ?/gm, ''))}</p></blockquote>`;
  if (/^(?:[-*]|\d+\.) /.test(text)) return renderList(text, words);
  if (text.startsWith('<img ')) return `<p>${text}</p>`;
  return `<p>${words(text)}</p>`;
}

function renderHeading(text: string, headings: Heading[], words: Inline): string {
  const [marks = '#'] = text.split(' ');
  const title = text.slice(marks.length + 1);
  const anchor = anchorOf(title);
  headings.push({ level: marks.length, text: title.replaceAll('`', ''), anchor });
  return `<h${marks.length} id="${anchor}">${words(title)}</h${marks.length}>`;
}

/** As GitHub makes them. */
function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
}

function renderTable([head = '', rule = '', ...rows]: readonly string[], words: Inline): string {
  const isRight = cellsOf(rule).map((cell) => cell.endsWith(':'));
  const row = (line: string, tag: 'th' | 'td') =>
    `<tr>${cellsOf(line)
      .map((cell, at) => `<${tag}${isRight[at] ? ' class="right"' : ''}>${words(cell)}</${tag}>`)
      .join('')}</tr>`;
  const body = rows.map((line) => row(line, 'td')).join('\n');
  return `<div class="table"><table><thead>${row(head, 'th')}</thead><tbody>${body}</tbody></table></div>`;
}

function cellsOf(line: string): string[] {
  return line
    .replace(/^\||\|\s*$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));
}

function renderList(text: string, words: Inline): string {
  const tag = /^\d/.test(text) ? 'ol' : 'ul';
  const items = text.split(/\n(?=(?:[-*]|\d+\.) )/).map((item) => {
    const [own = '', ...nested] = item.replace(/^(?:[-*]|\d+\.) /, '').split(/\n\s+(?=[-*] )/);
    const below = nested.map((line) => `<li>${words(line.slice(2))}</li>`).join('');
    return `<li>${words(own)}${below && `<ul>${below}</ul>`}</li>`;
  });
  return `<${tag}>${items.join('\n')}</${tag}>`;
}

function inline(text: string, linkTo: (target: string) => string): string {
  return text
    .split(/(`[^`]+`)/)
    .map((part, at) => (at % 2 === 1 ? `<code>${escaped(part.slice(1, -1))}</code>` : marked(part, linkTo)))
    .join('');
}

function marked(text: string, linkTo: (target: string) => string): string {
  return escaped(text)
    .replaceAll('&lt;br&gt;', '<br>')
    .replace(/!\[([^\]]*)\]\(([^)]+)\)/g, (_, alt: string, target: string) => `<img src="${target}" alt="${alt}">`)
    .replace(
      /\[([^\]]+)\]\(([^)]+)\)/g,
      (_, words: string, target: string) => `<a href="${linkTo(target)}">${words}</a>`,
    )
    .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
    .replace(/(^|[\s(])\*([^*\s][^*]*)\*/g, '$1<em>$2</em>');
}

export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
