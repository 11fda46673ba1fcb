// The parts of an OpenAPI document that doors write and the reference page shows.

export type OpenapiPaths = Readonly<Record<string, Readonly<Record<string, OpenapiOperation>>>>;

export interface OpenapiDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly paths: OpenapiPaths;
  readonly components: Readonly<Record<string, object>>;
}

export interface OpenapiOperation {
  readonly operationId: string;
  readonly tags?: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly security: readonly object[];
  /** Of the admin door: which permission it needs. */
  readonly 'x-permission'?: string;
  /** Commands to copy. Many tools that show OpenAPI documents know this extension. */
  readonly 'x-codeSamples'?: readonly CodeSample[];
  readonly parameters?: readonly OpenapiParameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: OpenapiContent };
  readonly responses: Readonly<Record<string, OpenapiResponse>>;
}

export interface OpenapiParameter {
  readonly name: string;
  readonly in: 'query' | 'header' | 'path';
  readonly required?: true;
  readonly description: string;
  readonly schema: OpenapiSchema;
}

export interface OpenapiResponse {
  readonly description: string;
  readonly headers?: object;
  readonly content?: OpenapiContent;
  readonly links?: Readonly<Record<string, OpenapiLink>>;
}

export interface OpenapiLink {
  readonly operationId: string;
  readonly description: string;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly requestBody?: Readonly<Record<string, string>>;
}

export interface OpenapiMediaType {
  readonly schema?: OpenapiSchema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

type OpenapiContent = Readonly<Record<string, OpenapiMediaType>>;

const RETRY = { 'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } } };

const HEADERS: Readonly<Record<number, object>> = {
  401: { 'WWW-Authenticate': { description: 'RFC 6750 3.', schema: { type: 'string' } } },
  405: { Allow: { description: 'The methods that this path takes.', schema: { type: 'string' } } },
  429: RETRY,
  503: RETRY,
};

/** A refusal with the headers of its status. Only HTTP Basic and bearer tokens have a challenge. */
export function refusalResponse(
  status: number,
  description: string,
  media: OpenapiMediaType,
  security: readonly object[] = [],
): OpenapiResponse {
  const isChallenged = security.some((scheme) => 'basic' in scheme || 'bearer' in scheme);
  const headers = status !== 401 || isChallenged ? HEADERS[status] : undefined;
  return { description, ...(headers && { headers }), content: { 'application/json': media } };
}

export interface CodeSample {
  readonly lang: string;
  readonly label: string;
  readonly source: string;
}

export interface OpenapiSchema {
  readonly type?: string;
  readonly title?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly examples?: readonly unknown[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, OpenapiSchema>>;
  readonly items?: OpenapiSchema;
  readonly oneOf?: readonly OpenapiSchema[];
  readonly additionalProperties?: OpenapiSchema;
}

/** The same document with titled schemas as named components, from which generated clients take the names of their types. */
export function withNamedSchemas(document: OpenapiDocument): OpenapiDocument {
  const schemas: Record<string, unknown> = {};
  const paths = named(document.paths, schemas) as OpenapiPaths;
  return { ...document, paths, components: { ...document.components, schemas } };
}

/** Only schemas have a title that is a text: a property called `title` is an object. Generators leave out a schema whose default is an object. */
function named(value: unknown, schemas: Record<string, unknown>): unknown {
  if (Array.isArray(value)) return value.map((item) => named(item, schemas));
  if (!isObject(value)) return value;
  const parts = Object.entries(value)
    .filter(([key, part]) => key !== 'default' || !isObject(part))
    .map(([key, part]) => [key, named(part, schemas)]);
  const copy = Object.fromEntries(parts);
  if (typeof copy.title !== 'string') return copy;
  schemas[copy.title] = copy;
  return { $ref: `#/components/schemas/${copy.title}` };
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The same document without the bodies of links, which the parser of widespread generators refuses unless they are texts. */
export function withPlainLinks(document: OpenapiDocument): OpenapiDocument {
  const plain = (links: Readonly<Record<string, OpenapiLink>>) =>
    Object.fromEntries(Object.entries(links).map(([name, link]) => [name, { ...link, requestBody: undefined }]));
  return JSON.parse(JSON.stringify(document, (key, value) => (key === 'links' ? plain(value) : value)));
}
