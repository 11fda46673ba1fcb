import { html } from '../../src/doors/pages/parts/html.ts';

export interface SitePage {
  /** In the site. */
  readonly path: string;
  readonly source: string;
  readonly title: string;
  readonly html: string;
}

const STYLE = `
:root { color-scheme: light dark; --text: light-dark(#1c1e21, #d5d9de); --quiet: light-dark(#5a6270, #98a1ae); --line: light-dark(#dfe3e8, #343a42); --back: light-dark(#fff, #14171b); --code: light-dark(#f4f5f7, #1e2329); --link: light-dark(#0b5cad, #7ab7ff) }
body { margin: 0; color: var(--text); background: var(--back); font: 16px/1.55 system-ui, sans-serif; display: grid; grid-template-columns: 16rem minmax(0, 52rem); gap: 2rem }
nav { padding: 1rem; border-right: 1px solid var(--line); font-size: 0.9rem; position: sticky; top: 0; height: 100vh; overflow: auto; box-sizing: border-box }
nav ul, #found { list-style: none; padding: 0; margin: 0.5rem 0 }
main { padding: 1rem 1rem 4rem }
a { color: var(--link) }
[aria-current] { font-weight: 600; color: inherit; text-decoration: none }
input { width: 100%; box-sizing: border-box; font: inherit; padding: 0.3rem 0.5rem; color: inherit; background: var(--code); border: 1px solid var(--line); border-radius: 4px }
code { background: var(--code); padding: 0.1em 0.3em; border-radius: 3px; font-size: 0.9em }
pre { background: var(--code); padding: 0.8rem; overflow: auto; border-radius: 4px }
pre code { padding: 0; background: none }
.table { overflow: auto } table { border-collapse: collapse } th, td { border: 1px solid var(--line); padding: 0.3rem 0.6rem; text-align: left; vertical-align: top }
.right { text-align: right } img { max-width: 100% } blockquote { border-left: 4px solid var(--link); margin: 0; padding: 0 1rem }
footer { color: var(--quiet); font-size: 0.85rem }
@media (max-width: 52rem) { body { display: flex; flex-direction: column } nav { position: static; height: auto; border: 0; order: 1 } }
@media print { nav { display: none } body { display: block } a { color: inherit } }
`;

export function layout(page: SitePage, pages: readonly SitePage[], version: string): string {
  const root = '../'.repeat(page.path.split('/').length - 1);
  const entries = pages.map(({ path, title }) => {
    const isHere = path === page.path ? ' aria-current="page"' : '';
    return `<li><a href="${root}${path}"${isHere}>${escaped(title)}</a></li>`;
  });
  return `<!doctype html>
<html lang="en" data-root="${root}">
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src 'self'; script-src 'self'; style-src 'unsafe-inline'">
<title>${escaped(page.title)} – Tessera</title>
<style>${STYLE}</style>
<nav><label>Search <input id="search" type="search"></label><ul id="found"></ul><ul>${entries.join('\n')}</ul></nav>
<main>${page.html}
<footer>Tessera ${escaped(version)}, from ${escaped(page.source)}</footer></main>
<script src="${root}search.js"></script>
</html>
`;
}

function escaped(text: string): string {
  return html`${text}`.toString();
}
