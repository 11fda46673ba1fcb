import type { Door } from './door.ts';
import type { OpenapiDocument } from './openapi-document.ts';

export interface OpenapiOptions {
  readonly publicUrl: string;
  readonly version: string;
}

/** OpenAPI 3.1 of all doors, from the schemas that they read requests by. */
export function openapiDocument(
  { publicUrl, version }: OpenapiOptions,
  doors: readonly Pick<Door, 'openapi'>[],
): OpenapiDocument {
  const document = {
    openapi: '3.1.0',
    info: {
      title: 'Tessera',
      version,
      description: 'Bearer tokens for machines and people, by client certificate or by confirmation in a browser.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl }],
    paths: Object.assign({}, ...doors.map(({ openapi }) => openapi)),
    components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
  };
  return document;
}
