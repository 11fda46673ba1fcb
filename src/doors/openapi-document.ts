/** Operations by path and method. */
export type OpenapiPaths = Readonly<Record<string, Readonly<Record<string, OpenapiOperation>>>>;

/** The parts of an OpenAPI document that the reference page shows. */
export interface OpenapiDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly paths: OpenapiPaths;
}

export interface OpenapiOperation {
  readonly operationId?: string;
  readonly tags?: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly security?: readonly object[];
  /** Commands to copy. Many tools that show OpenAPI documents know this extension. */
  readonly 'x-codeSamples'?: readonly CodeSample[];
  readonly requestBody?: {
    readonly required?: boolean;
    readonly content: Readonly<Record<string, { readonly schema?: OpenapiSchema }>>;
  };
  readonly responses: Readonly<
    Record<
      string,
      { readonly description: string; readonly content?: Readonly<Record<string, { readonly schema?: OpenapiSchema }>> }
    >
  >;
}

export interface CodeSample {
  readonly lang: string;
  readonly label: string;
  readonly source: string;
}

export interface OpenapiSchema {
  readonly type?: string;
  readonly const?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, OpenapiSchema>>;
}
