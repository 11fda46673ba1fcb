// /docs: the API reference, and the pages that `tessera explain` names. The others are in the repository only.
import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { html, type Inset } from '../parts/html.ts';
import type { Page } from '../parts/layout.ts';
import { type PageRoute, showToAll } from '../parts/route.ts';
import { queryOf, type Visit } from '../parts/visit.ts';
import { type Rendered, renderMarkdown } from './markdown.ts';
import { referencePage } from './reference-page.ts';

/** Beside src/ in a checkout, and beside dist/ in the published package. */
const FOLDER = new URL('../../../../docs/', import.meta.url);

/** `errors` is docs/errors.md, at /docs/errors. */
export const SERVED_PAGES: readonly string[] = [
  'errors',
  'callers',
  'certificates',
  'workloads',
  'agents',
  'resource-servers',
  'operators',
  'configuration',
  'contract',
  'directories',
  'spec-gaps',
  'exactly-once-refresh',
];

/** Only the pages that are installed: an image may be built without the documentation. */
export function docsRoutes(): PageRoute[] {
  const names = SERVED_PAGES.filter((name) => existsSync(fileOf(name)));
  return [
    showToAll('/docs', 'page-docs', async () => ({ page: startPage(names) })),
    showToAll('/docs/api', 'page-docs', async ({ site }) => referencePage(site.openapi(), '/docs/openapi.json', site)),
    showToAll('/docs/admin-api', 'page-docs', async ({ site }) =>
      referencePage(await site.adminOpenapi(), '/admin/v1/openapi.json', site),
    ),
    ...names.map((name) => showToAll(`/docs/${name}`, 'page-docs', async (visit) => ({ page: docsPage(visit, name) }))),
  ];
}

function fileOf(name: string): URL {
  return new URL(`${name}.md`, FOLDER);
}

function startPage(names: readonly string[]): Page {
  const links = names.map((name) => html`<li><a href="/docs/${name}">${rendered(name).title}</a></li>`);
  const body = html`<div class="text" lang="en">
<h1>Documentation</h1>
<ul><li><a href="/docs/api">API reference</a>: every operation of this service, with commands to copy.</li>
<li><a href="/docs/admin-api">API reference of administration</a>: what operators do.</li>
${links}</ul>
<p>All other pages are in the folder <code>docs</code> of the repository and of the installed package.</p>
</div>`;
  return { title: 'Documentation', body, width: 'wide' };
}

/** `?from=console`: with the way back there. */
function docsPage(visit: Visit, name: string): Page {
  const { title, html: text } = rendered(name);
  const isFromConsole = queryOf(visit, 'from') === 'console';
  const body = html`<article class="text" lang="en">
<p>${isFromConsole && html`<a href="/console">Console</a> · `}<a href="/docs">Documentation</a></p>
${text}
</article>`;
  return { title, body, width: 'wide' };
}

const known = new Map<string, Rendered>();

/** Read and rendered once: the files are those of the running release. */
function rendered(name: string): Rendered {
  const page = known.get(name) ?? renderMarkdown(readFileSync(fileOf(name), 'utf8'), { link, picture: (alt) => alt });
  known.set(name, page);
  return page;
}

/** A link to a page that is not served becomes the name of its file. */
function link(words: Inset, target: string): Inset {
  if (/^(?:https?:|#)/.test(target)) return html`<a href="${target}">${words}</a>`;
  const [file = '', anchor] = target.split('#');
  const name = file.replace(/\.md$/, '');
  if (SERVED_PAGES.includes(name)) return html`<a href="/docs/${name}${anchor && `#${anchor}`}">${words}</a>`;
  return html`${words} (<code>${posix.join('docs', file)}</code>)`;
}
