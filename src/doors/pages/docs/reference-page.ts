// The reference of every door for people: the OpenAPI document, rendered on our own page without any script.
import type { CodeSample, OpenapiDocument, OpenapiOperation, OpenapiSchema } from '../../openapi-document.ts';
import type { Answer } from '../parts/answer.ts';
import { type Html, html } from '../parts/html.ts';
import type { Site } from '../parts/visit.ts';

const rendered = new WeakMap<OpenapiDocument, Html>();

/** Rendered once: it is the largest page, and anybody may ask for it. `file`: where programs read the document. */
export function referencePage(document: OpenapiDocument, file: string, site: Site): Answer {
  const body = rendered.get(document) ?? referenceBody(document, file, site);
  rendered.set(document, body);
  return { page: { title: 'Reference', body, width: 'wide' } };
}

/** Without the version: anyone could look up its known flaws. */
function referenceBody({ info, paths }: OpenapiDocument, file: string, { publicUrl }: Site): Html {
  const entries = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const byMount = Map.groupBy(entries, ({ path, operation }) => mountOf(path, operation.tags?.[0]));
  return html`<div class="reference" lang="en">
<nav class="contents" aria-label="Operations">${[...byMount].map(contentsOf)}</nav>
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

/** Two segments of each operation are its own (`/Authorize/Token`); the rest is the mount. */
function mountOf(path: string, tag: string | undefined): string {
  const mount = path
    .replace(/\/\{\w+\}$/, '')
    .split('/')
    .slice(0, -2)
    .join('/');
  return mount === '' ? (tag ?? '') : mount;
}

function contentsOf([mount, entries]: [string, readonly Entry[]]): Html {
  const links = entries.map((entry) => {
    const path = entry.path.startsWith(`${mount}/`) ? entry.path.slice(mount.length + 1) : entry.path;
    return html`<li><a href="#${anchorOf(entry)}">${path}</a> <span>${entry.operation.summary}</span></li>`;
  });
  return html`<h2><code>${mount}</code></h2><ul>${links}</ul>`;
}

interface Entry {
  readonly path: string;
  readonly method: string;
  readonly operation: OpenapiOperation;
}

type Content = Readonly<Record<string, { readonly schema?: OpenapiSchema }>>;

function operationSection(entry: Entry): Html {
  const { method, path, operation } = entry;
  const { requestBody, responses, security, parameters = [], 'x-codeSamples': samples = [] } = operation;
  const answers = Object.entries(responses).map(([status, answer]) => answerOf(status, answer));
  return html`<section class="card" id="${anchorOf(entry)}" aria-labelledby="${anchorOf(entry)}-title">
<h2 id="${anchorOf(entry)}-title">${operation.summary}</h2>
<p><code>${method} ${path}</code>${security.some((scheme) => 'bearer' in scheme) && html` with <code>Authorization: Bearer</code>`}</p>
${operation.description && html`<p>${operation.description}</p>`}
${samples.map((sample, at) => sampleOf(sample, `${anchorOf(entry)}-sample-${at}`))}
${parameters.length > 0 && html`<h3>Parameters</h3>${fieldList(parameters.map(({ name, description, schema }) => [name, { ...schema, description }]))}`}
${requestBody && html`<h3>Takes ${Object.keys(requestBody.content).join(', ')}</h3>${fieldsOf(requestBody.content)}`}
<h3>Answers</h3>
${answers}
</section>`;
}

function anchorOf({ method, path }: Entry): string {
  return `${method}${path}`.toLowerCase().replace(/[^a-z0-9]+/g, '-');
}

/** One click selects the command. A keyboard reaches it too, to scroll where it is wider than the screen. */
function sampleOf({ label, source }: CodeSample, id: string): Html {
  return html`<figure class="sample"><figcaption id="${id}">${label}</figcaption><pre tabindex="0" role="group" aria-labelledby="${id}"><code translate="no">${source}</code></pre></figure>`;
}

function answerOf(status: string, { description, content }: OpenapiOperation['responses'][string]) {
  return html`<details${status === '200' && html` open`}><summary><code>${status}</code> ${description}</summary>${fieldsOf(content ?? {})}</details>`;
}

/** The first form of a body has every field. */
function fieldsOf(content: Content): Html | undefined {
  const [first] = Object.values(content);
  const schemas = first?.schema?.oneOf ?? [first?.schema];
  return fieldList(Object.entries<OpenapiSchema>(Object.assign({}, ...schemas.map((schema) => schema?.properties))));
}

type Field = readonly [name: string, schema: OpenapiSchema];

function fieldList(fields: readonly Field[]): Html | undefined {
  if (fields.length === 0) return undefined;
  const rows = fields.map(
    ([name, { type, enum: allowed, description }]) =>
      html`<dt><code>${name}</code> <span>${allowed?.join(', ') ?? type}</span></dt><dd>${description}</dd>`,
  );
  return html`<dl class="fields">${rows}</dl>`;
}
