// The reference of every door for people: the OpenAPI document, rendered on our own page without any script.
import type { OpenapiDocument } from '../../openapi-document.ts';
import type { Answer } from '../parts/answer.ts';
import { type Html, html } from '../parts/html.ts';
import type { Site, Visit } from '../parts/visit.ts';
import { anchorOf, type Entry, operationSection } from './operation-section.ts';

const rendered = new WeakMap<OpenapiDocument, Html>();

/** Rendered once: it is the largest page, and anybody may ask for it. */
export async function showReference({ site }: Visit): Promise<Answer> {
  return pageOf(site.openapi(), '/docs/openapi.json', site);
}

/** The reference of the admin door. */
export async function showAdminReference({ site }: Visit): Promise<Answer> {
  return pageOf(await site.adminOpenapi(), '/admin/v1/openapi.json', site);
}

function pageOf(document: OpenapiDocument, file: string, site: Site): Answer {
  const body = rendered.get(document) ?? referenceBody(document, file, site);
  rendered.set(document, body);
  return { page: { title: 'Reference', body, width: 'wide' } };
}

/** Without the version: anyone could look up its known flaws. */
function referenceBody({ info, paths }: OpenapiDocument, file: string, { publicUrl }: Site): Html {
  const entries = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  return html`<div class="reference" lang="en">
<nav class="contents" aria-label="Operations">${groupsOf(entries).map(contentsOf)}</nav>
<div class="operations">
<h1>Reference</h1>
<p>${info.description}</p>
<p>The address of this service: <code>${publicUrl}</code></p>
<p class="hint">A click selects a whole command. Replace what is in capital letters.</p>
<p><a href="${file}">This reference as OpenAPI 3.1</a></p>
<p><a href="/docs">Other pages of the documentation</a></p>
${entries.map(operationSection)}
</div>
</div>`;
}

interface Group {
  readonly name: string;
  readonly entries: readonly Entry[];
}

/** By mount: operations of one mount have the same first path segment. */
function groupsOf(entries: readonly Entry[]): Group[] {
  const groups = Map.groupBy(entries, ({ path, operation }) => mountOf(path, operation.tags?.[0]));
  return [...groups].map(([name, members]) => ({ name, entries: members }));
}

/** Two segments of each operation are its own (`/Authorize/Token`); the rest is the mount. */
function mountOf(path: string, tag: string | undefined): string {
  const mount = path
    .replace(/\/\{\w+\}$/, '')
    .split('/')
    .slice(0, -2)
    .join('/');
  return mount === '' ? (tag ?? '') : mount;
}

function contentsOf({ name, entries }: Group): Html {
  const links = entries.map(
    (entry) =>
      html`<li><a href="#${anchorOf(entry)}">${shortPath(entry.path, name)}</a> <span>${entry.operation.summary}</span></li>`,
  );
  return html`<h2><code>${name}</code></h2><ul>${links}</ul>`;
}

function shortPath(path: string, mount: string): string {
  return path.startsWith(`${mount}/`) ? path.slice(mount.length + 1) : path;
}
