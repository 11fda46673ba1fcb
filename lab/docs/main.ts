// npm run docs [-- FOLDER]: README and docs as a static site, in out/docs by default. No page loads anything from elsewhere.
import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { renderMarkdown } from '../../src/doors/pages/docs/markdown.ts';
import { html } from '../../src/doors/pages/parts/html.ts';
import { VERSION } from '../../src/version.ts';
import { layout, type SitePage } from './site-layout.ts';

const TARGET = process.argv[2] ?? 'out/docs';
const SOURCES = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'];

const pages = [...SOURCES, ...globSync(['docs/**/*.md', 'sdk/*/README.md']).sort()].map(pageOf);
for (const page of pages) {
  mkdirSync(dirname(join(TARGET, page.path)), { recursive: true });
  writeFileSync(join(TARGET, page.path), layout(page, pages, VERSION));
}
for (const folder of globSync(['docs/images', 'docs/performance', 'docs/vectors', 'deploy']))
  cpSync(folder, join(TARGET, folder), { recursive: true, filter: (path) => !path.endsWith('.md') });
cpSync('LICENSE', join(TARGET, 'LICENSE'));
writeFileSync(join(TARGET, 'search.js'), `const PAGES = ${JSON.stringify(pages.map(searched))};\n${searchCode()}`);
console.log(`${pages.length} pages of ${VERSION} in ${TARGET}; open ${join(TARGET, 'index.html')}`);

function pageOf(source: string): SitePage {
  const { title, html: text } = renderMarkdown(withPictures(readFileSync(source, 'utf8')), {
    link: (words, target) => html`<a href="${linkTo(target)}">${words}</a>`,
    picture: (alt, target) => html`<img src="${target}" alt="${alt}">`,
  });
  return { path: siteName(source), source, title, html: text.toString() };
}

/** Some pictures are HTML tags, because Markdown has no width. */
function withPictures(source: string): string {
  return source.replace(/^<img src="([^"]+)" alt="([^"]*)".*>$/gm, '![$2]($1)');
}

function siteName(source: string): string {
  return source.replace(/(^|\/)README\.md$/, '$1index.html').replace(/\.md$/, '.html');
}

/** Links between pages lead to their HTML; those to folders and source files stay as text would have them. */
function linkTo(target: string): string {
  return target.replace(/(^|\/)README\.md(?=$|#)/, '$1index.html').replace(/^(?!https?:)([^#]+)\.md(?=$|#)/, '$1.html');
}

function searched({ path, title, html }: SitePage) {
  return { path, title, text: html.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ') };
}

function searchCode(): string {
  return readFileSync(join(relative('.', import.meta.dirname), 'search.js'), 'utf8');
}
