/** The parts of an OpenAPI document that the reference page shows. */
export interface OpenapiDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenapiOperation>>>>;
}

export interface OpenapiOperation {
  readonly summary: string;
  readonly description?: string;
  readonly security?: readonly object[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: OpenapiSchema }>> };
  readonly responses: Readonly<
    Record<
      string,
      { readonly description: string; readonly content?: Readonly<Record<string, { readonly schema?: OpenapiSchema }>> }
    >
  >;
}

export interface OpenapiSchema {
  readonly type?: string;
  readonly const?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, OpenapiSchema>>;
}
