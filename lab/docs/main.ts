// npm run docs [-- FOLDER]: README and docs as a static site, in out/docs by default. No page loads anything from elsewhere.
import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { renderMarkdown } from '../../src/doors/pages/docs/markdown.ts';
import { VERSION } from '../../src/version.ts';
import { layout, type SitePage } from './site-layout.ts';

const TARGET = process.argv[2] ?? 'out/docs';
const SOURCES = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'];

const pages = [...SOURCES, ...globSync(['docs/**/*.md', 'sdk/*/README.md']).sort()].map(pageOf);
for (const page of pages) {
  mkdirSync(dirname(join(TARGET, page.path)), { recursive: true });
  writeFileSync(join(TARGET, page.path), layout(page, pages, VERSION));
}
for (const folder of ['docs/images', 'docs/performance', 'docs/vectors', 'deploy'])
  cpSync(folder, join(TARGET, folder), { recursive: true, filter: (path) => !path.endsWith('.md') });
cpSync('LICENSE', join(TARGET, 'LICENSE'));
writeFileSync(join(TARGET, 'search.js'), `const PAGES = ${JSON.stringify(pages.map(searched))};\n${searchCode()}`);
console.log(`${pages.length} pages of ${VERSION} in ${TARGET}; open ${join(TARGET, 'index.html')}`);

function pageOf(source: string): SitePage {
  const { html, headings } = renderMarkdown(readFileSync(source, 'utf8'), linkTo);
  return { path: siteName(source), source, title: headings[0]?.text ?? source, html: html.toString(), headings };
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
