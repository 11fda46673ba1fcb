// The reference of every door for people: the OpenAPI document, rendered on our own page without any script.

import type { OpenapiOperation, OpenapiSchema } from '../../openapi-document.ts';
import type { Answer } from '../parts/answer.ts';
import { type Html, html } from '../parts/html.ts';
import { type PageRoute, show } from '../parts/route.ts';
import type { Visit } from '../parts/visit.ts';

export const DOCS_ROUTES: readonly PageRoute[] = [show('/docs', 'page-docs', showReference)];

async function showReference({ site }: Visit): Promise<Answer> {
  const { info, paths } = site.openapi();
  const entries = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const body = html`<div lang="en" class="reference">
<h1>Reference</h1>
<p>${info.description} Version ${info.version}.</p>
<p><a href="/docs/openapi.json">OpenAPI 3.1</a></p>
<nav aria-label="Operations"><ul class="operations">${entries.map(linkTo)}</ul></nav>
${entries.map(section)}
</div>`;
  return { page: { title: 'Reference', body, width: 'wide' } };
}

interface Entry {
  readonly path: string;
  readonly method: string;
  readonly operation: OpenapiOperation;
}

function linkTo(entry: Entry): Html {
  return html`<li><a href="#${anchorOf(entry)}"><code>${entry.method} ${entry.path}</code></a> ${entry.operation.summary}</li>`;
}

function section(entry: Entry): Html {
  const { method, path, operation } = entry;
  const { requestBody, responses, security = [] } = operation;
  return html`<section class="card" id="${anchorOf(entry)}">
<h2>${operation.summary}</h2>
<p><code>${method} ${path}</code>${security.length > 0 && html` with <code>Authorization: Bearer</code>`}</p>
${operation.description && html`<p>${operation.description}</p>`}
${requestBody && html`<h3>Takes ${Object.keys(requestBody.content).join(' or ')}</h3>${fieldsOf(requestBody.content)}`}
<h3>Answers</h3>
${Object.entries(responses).map(([status, { description, content }]) => answerOf(status, description, content))}
</section>`;
}

function answerOf(
  status: string,
  description: string,
  content: OpenapiOperation['responses'][string]['content'],
): Html {
  return html`<details${status === '200' && html` open`}><summary><code>${status}</code> ${description}</summary>${fieldsOf(content ?? {})}</details>`;
}

/** All forms of a body have the same fields. */
function fieldsOf(content: Readonly<Record<string, { readonly schema?: OpenapiSchema }>>): Html | undefined {
  const [first] = Object.values(content);
  const fields = Object.entries(first?.schema?.properties ?? {});
  if (fields.length === 0) return undefined;
  return html`<dl class="fields">${fields.map(([name, { type, const: fixed, description }]) => html`<dt><code>${name}</code> <span>${fixed ?? type}</span></dt><dd>${description}</dd>`)}</dl>`;
}

function anchorOf({ method, path }: Entry): string {
  return `${method}${path}`.toLowerCase().replace(/[^a-z0-9]+/g, '-');
}
