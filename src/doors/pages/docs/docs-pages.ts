// /docs: the API reference, and what every refusal means. All other pages are files of the package.
import { DECLARED } from '../../../core/refusal.ts';
import { meaningOf } from '../../../core/refusals/remedy.ts';
import { html } from '../parts/html.ts';
import type { Page } from '../parts/layout.ts';
import { type PageRoute, showToAll } from '../parts/route.ts';
import { queryOf, type Visit } from '../parts/visit.ts';
import { referencePage } from './reference-page.ts';

export const DOCS_ROUTES: readonly PageRoute[] = [
  showToAll('/docs', 'page-docs', async () => ({ page: START })),
  showToAll('/docs/errors', 'page-docs', async (visit) => ({ page: errorsPage(visit) })),
  showToAll('/docs/api', 'page-docs', async ({ site }) => referencePage(site.openapi(), '/docs/openapi.json', site)),
  showToAll('/docs/admin-api', 'page-docs', async ({ site }) =>
    referencePage(await site.adminOpenapi(), '/admin/v1/openapi.json', site),
  ),
];

const START: Page = {
  title: 'Documentation',
  body: html`<div class="text" lang="en">
<h1>Documentation</h1>
<ul><li><a href="/docs/api">API reference</a>: every operation of this service, with commands to copy.</li>
<li><a href="/docs/admin-api">API reference of administration</a>: what operators do.</li>
<li><a href="/docs/errors">Errors</a>: what every refusal means, and what to do.</li></ul>
<p>All other pages are in the folder <code>docs</code> of the repository and of the installed package.</p>
</div>`,
  width: 'wide',
};

/** Made once: anybody may ask for it. */
const ERRORS = html`${Object.keys(DECLARED).map((reason) => html`<dt id="${reason}"><code>${reason}</code></dt><dd>${meaningOf(reason)}</dd>\n`)}`;

/** Where problem details lead. `?from=console`: with the way back there. */
function errorsPage(visit: Visit): Page {
  const body = html`<article class="text" lang="en">
<p>${queryOf(visit, 'from') === 'console' && html`<a href="/console">Console</a> · `}<a href="/docs">Documentation</a></p>
<h1>Errors</h1>
<dl class="fields">${ERRORS}
<dt id="administration"><code>administration</code></dt><dd>The members <code>reason</code> and <code>detail</code> of the answer say what to do.</dd></dl>
</article>`;
  return { title: 'Errors', body, width: 'wide' };
}
