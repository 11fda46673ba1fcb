// A page of the documentation: its text beside the list of all pages, and the search.
import { type Html, html } from '../parts/html.ts';
import type { Page } from '../parts/layout.ts';
import type { Visit } from '../parts/visit.ts';
import { type DocsGroup, type DocsPage, type Library, linksFrom, textOf, titleOf } from './library.ts';
import { renderMarkdown } from './markdown.ts';
import type { Hit } from './search.ts';

const rendered = new Map<string, Html>();

export function docsPage(visit: Visit, library: Library, page: DocsPage): Page {
  const text = rendered.get(page.path) ?? renderMarkdown(textOf(page), linksFrom(page, library)).html;
  rendered.set(page.path, text);
  return framed(visit, library, {
    title: titleOf(page),
    at: page,
    body: html`<article class="text" lang="en">${text}</article>`,
  });
}

/** /docs itself. */
export function contentsPage(visit: Visit, library: Library): Page {
  const { docs: words } = visit.language.texts;
  const body = html`<div class="text">
<h1>${words.pagesTitle}</h1>
<p>${words.lead}</p>
<ul><li><a href="/docs/api">${words.title}</a>: ${words.referenceHint}</li></ul>
${listsOf(visit, library).map(({ name, links }) => html`<h2>${name}</h2><ul>${links}</ul>`)}
</div>`;
  return framed(visit, library, { title: words.pagesTitle, body });
}

export function searchPage(visit: Visit, library: Library, query: string, hits: readonly Hit[]): Page {
  const { docs: words } = visit.language.texts;
  const body = html`<div class="text">
<h1>${words.found(hits.length)}</h1>
<ul class="found">${hits.map(hitOf)}</ul>
</div>`;
  return framed(visit, library, { title: words.search, body, query });
}

function hitOf({ section: { page, heading }, excerpt }: Hit): Html {
  return html`<li lang="en"><a href="${page.path}#${heading.anchor}">${heading.text}</a> <span>${titleOf(page)}</span><p>${excerpt}</p></li>`;
}

interface Framed {
  readonly title: string;
  readonly body: Html;
  readonly at?: DocsPage;
  readonly query?: string;
}

function framed(visit: Visit, library: Library, { title, body, at, query }: Framed): Page {
  const { docs: words } = visit.language.texts;
  const lists = listsOf(visit, library, at).map(({ name, group, links }) => {
    // Only the group of this page is open, so that the list fits on the screen.
    const isOpen = at?.group === group;
    return html`<details${isOpen && html` open`}><summary>${name}</summary><ul>${links}</ul></details>`;
  });
  const framedBody = html`<div class="reference docs">
<p class="to-contents"><a href="#contents">${words.pagesTitle}: ${words.search}</a></p>
<nav class="contents" id="contents" aria-label="${words.pagesLabel}">
<form action="/docs/search" role="search"><label for="q">${words.search}</label> <input id="q" name="q" type="search" maxlength="100" value="${query ?? ''}"> <button class="button quiet">${words.searchButton}</button></form>
<p><a href="/docs">${words.pagesTitle}</a> <a href="/docs/api">${words.title}</a></p>
${lists}
</nav>
${body}
</div>`;
  return { title, body: framedBody, width: 'wide' };
}

interface PageList {
  readonly group: DocsGroup;
  readonly name: string;
  readonly links: readonly Html[];
}

function listsOf({ language }: Visit, { pages }: Library, at?: DocsPage): PageList[] {
  return [...Map.groupBy(pages, ({ group }) => group)].map(([group, members]) => ({
    group,
    name: language.texts.docs.groups[group],
    links: members.map((page) => {
      const isHere = page === at && html` aria-current="page"`;
      return html`<li><a lang="en" href="${page.path}"${isHere}>${titleOf(page)}</a></li>`;
    }),
  }));
}
