import { authsvcPaths } from '../doors/authsvc/openapi.ts';
import { opsPaths } from '../doors/ops/openapi.ts';
import type { OpenapiDocument } from '../doors/pages/docs/openapi-document.ts';

export interface OpenapiOptions {
  readonly publicUrl: string;
  readonly version: string;
  readonly authsvcMounts: readonly { readonly path: string }[];
}

/** OpenAPI 3.1 of every door, from the schemas that the doors themselves read requests by. */
export function openapiDocument({ publicUrl, version, authsvcMounts }: OpenapiOptions): OpenapiDocument {
  const document = {
    openapi: '3.1.0',
    info: {
      title: 'Tessera',
      version,
      description: 'Bearer tokens for machines and people, by client certificate or by confirmation in a browser.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl }],
    paths: { ...Object.assign({}, ...authsvcMounts.map(({ path }) => authsvcPaths(path))), ...opsPaths() },
    components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
  };
  return document;
}
