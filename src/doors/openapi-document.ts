// The parts of an OpenAPI document that doors write and the reference page shows.

/** Operations by path and method. */
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
  /** Commands to copy. Many tools that show OpenAPI documents know this extension. */
  readonly 'x-codeSamples'?: readonly CodeSample[];
  readonly requestBody?: { readonly required?: boolean; readonly content: OpenapiContent };
  readonly responses: Readonly<Record<string, OpenapiResponse>>;
}

export interface OpenapiResponse {
  readonly description: string;
  readonly headers?: Readonly<Record<string, OpenapiHeader>>;
  readonly content?: OpenapiContent;
  readonly links?: Readonly<Record<string, OpenapiLink>>;
}

export interface OpenapiHeader {
  readonly description: string;
  readonly schema: OpenapiSchema;
}

export interface OpenapiLink {
  readonly operationId: string;
  readonly description: string;
  readonly requestBody?: Readonly<Record<string, string>>;
}

type OpenapiContent = Readonly<Record<string, OpenapiMediaType>>;

export interface OpenapiMediaType {
  readonly schema?: OpenapiSchema;
  readonly example?: unknown;
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
  readonly oneOf?: readonly OpenapiSchema[];
  readonly additionalProperties?: OpenapiSchema;
}

/** The same document with titled schemas as named components, from which generated clients take the names of their types. */
export function withNamedSchemas(document: OpenapiDocument): OpenapiDocument {
  const schemas: Record<string, unknown> = {};
  const paths = name(document.paths, false, schemas) as OpenapiPaths;
  return { ...document, paths, components: { ...document.components, schemas } };
}

function name(value: unknown, isSchema: boolean, schemas: Record<string, unknown>): unknown {
  if (Array.isArray(value)) return value.map((item) => name(item, isSchema, schemas));
  if (typeof value !== 'object' || value === null) return value;
  const { title } = value as OpenapiSchema;
  if (!isSchema || title === undefined) {
    const parts = Object.entries(value);
    return Object.fromEntries(parts.map(([key, part]) => [key, name(part, SCHEMA_KEYS.includes(key), schemas)]));
  }
  schemas[title] = value;
  return { $ref: `#/components/schemas/${title}` };
}

const SCHEMA_KEYS = ['schema', 'oneOf'];
