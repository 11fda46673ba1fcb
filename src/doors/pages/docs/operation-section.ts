// One operation in the reference: what it takes, commands to copy, what it answers.
import type { CodeSample, OpenapiOperation, OpenapiParameter, OpenapiSchema } from '../../openapi-document.ts';
import { type Html, html } from '../parts/html.ts';

export interface Entry {
  readonly path: string;
  readonly method: string;
  readonly operation: OpenapiOperation;
}

type Content = Readonly<Record<string, { readonly schema?: OpenapiSchema }>>;

export function operationSection(entry: Entry): Html {
  const { method, path, operation } = entry;
  const { requestBody, responses, security, parameters = [], 'x-codeSamples': samples = [] } = operation;
  const answers = Object.entries(responses).map(([status, answer]) => answerOf(status, answer));
  return html`<section class="card" id="${anchorOf(entry)}" aria-labelledby="${anchorOf(entry)}-title">
<h2 id="${anchorOf(entry)}-title">${operation.summary}</h2>
<p><code>${method} ${path}</code>${security.some((scheme) => 'bearer' in scheme) && html` with <code>Authorization: Bearer</code>`}</p>
${operation.description && html`<p>${operation.description}</p>`}
${samples.map((sample, at) => sampleOf(sample, `${anchorOf(entry)}-sample-${at}`))}
${parameters.length > 0 && html`<h3>Parameters</h3>${fieldList(parameters.map(fieldOf))}`}
${requestBody && html`<h3>Takes ${Object.keys(requestBody.content).join(', ')}</h3>${fieldsOf(requestBody.content)}`}
<h3>Answers</h3>
${answers}
</section>`;
}

export function anchorOf({ method, path }: Entry): string {
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

function fieldOf({ name, description, schema }: OpenapiParameter): Field {
  return [name, { ...schema, description }];
}

function fieldList(fields: readonly Field[]): Html | undefined {
  if (fields.length === 0) return undefined;
  const rows = fields.map(
    ([name, { type, enum: allowed, description }]) =>
      html`<dt><code>${name}</code> <span>${allowed?.join(', ') ?? type}</span></dt><dd>${description}</dd>`,
  );
  return html`<dl class="fields">${rows}</dl>`;
}
