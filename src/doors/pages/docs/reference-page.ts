// The reference of every door for people: the OpenAPI document, rendered on our own page without any script.
import type { OpenapiDocument } from '../../openapi-document.ts';
import type { Answer } from '../parts/answer.ts';
import { type Html, html } from '../parts/html.ts';
import { type PageRoute, show } from '../parts/route.ts';
import type { Visit } from '../parts/visit.ts';
import { anchorOf, type Entry, operationSection } from './operation-section.ts';
import { translatorFor } from './reference-words.ts';

export const REFERENCE_ROUTES: readonly PageRoute[] = [show('/docs/api', 'page-docs', showReference)];

/** Where the documentation is not served, /docs leads to the reference. */
export const INSTEAD_OF_DOCS: readonly PageRoute[] = [show('/docs', 'page-docs', async () => ({ goTo: '/docs/api' }))];

const rendered = new WeakMap<OpenapiDocument, Map<string, Html>>();

/** Rendered once for each kind of reader: it is the largest page, and anybody may ask for it. */
async function showReference(visit: Visit): Promise<Answer> {
  const { language, person, site } = visit;
  const document = site.openapi();
  const known = rendered.get(document) ?? new Map<string, Html>();
  rendered.set(document, known);
  const reader = `${language.tag} ${person !== undefined}`;
  const body = known.get(reader) ?? referenceBody(document, visit);
  known.set(reader, body);
  return { page: { title: language.texts.docs.title, body, width: 'wide' } };
}

/** The version is for people who are signed in: strangers could look up its known flaws. */
function referenceBody({ info, paths }: OpenapiDocument, visit: Visit): Html {
  const { docs: words } = visit.language.texts;
  const entries = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const inWords = translatorFor(visit.language.tag);
  return html`<div class="reference">
<nav class="contents" aria-label="${words.contents}">${groupsOf(entries).map((group) => contentsOf(group, visit))}</nav>
<div class="operations">
<h1>${words.title}</h1>
<p>${inWords(info.description)}${visit.person && html` ${words.version(info.version)}`}</p>
<p>${words.address} <code>${visit.site.publicUrl}</code></p>
<p class="hint">${words.samplesHint}</p>
<p><a href="/docs/openapi.json">${words.document}</a></p>
${visit.site.servesDocs && html`<p><a href="/docs">${words.toPages}</a></p>`}
${entries.map((entry) => operationSection(entry, visit))}
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
  const mount = path.split('/').slice(0, -2).join('/');
  return mount === '' ? (tag ?? '') : mount;
}

function contentsOf({ name, entries }: Group, { language }: Visit): Html {
  const inWords = translatorFor(language.tag);
  const links = entries.map(
    (entry) =>
      html`<li><a href="#${anchorOf(entry)}">${shortPath(entry.path, name)}</a> <span>${inWords(entry.operation.summary)}</span></li>`,
  );
  return html`<h2><code>${name}</code></h2><ul>${links}</ul>`;
}

function shortPath(path: string, mount: string): string {
  return path.startsWith(`${mount}/`) ? path.slice(mount.length + 1) : path;
}
