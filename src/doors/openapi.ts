import type { Door } from './door.ts';
import type { OpenapiDocument, OpenapiOperation, OpenapiPaths } from './openapi-document.ts';

const SECURITY_SCHEMES = {
  basic: { type: 'http', scheme: 'basic', description: 'The id and the secret of a resource server.' },
  bearer: { type: 'http', scheme: 'bearer' },
  certificate: { type: 'mutualTLS', description: 'The client certificate of the TLS connection.' },
};

const TAGS = [
  { name: 'authsvc', description: 'Tokens, for programs.' },
  { name: 'oauth', description: 'The same for any OAuth 2.0 library, and checks for resource servers.' },
  { name: 'ops', description: 'Health, readiness and metrics, for monitoring.' },
];

/** OpenAPI 3.1 of the doors, from the schemas that they read requests by. */
export function openapiDocument(
  { publicUrl, version }: { readonly publicUrl: string; readonly version: string },
  doors: readonly Pick<Door, 'openapi'>[],
): OpenapiDocument {
  const paths: OpenapiPaths = Object.assign({}, ...doors.map(({ openapi }) => openapi));
  const document = {
    openapi: '3.1.0',
    info: {
      title: 'Tessera',
      version,
      description: 'Bearer tokens for machines and people, by client certificate or by confirmation in a browser.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl }],
    tags: tagsOf(paths),
    paths,
    components: { securitySchemes: schemesOf(paths) },
  };
  return document;
}

function operationsOf(paths: OpenapiPaths): OpenapiOperation[] {
  return Object.values(paths).flatMap((methods) => Object.values(methods));
}

function tagsOf(paths: OpenapiPaths): object[] {
  const used = new Set(operationsOf(paths).flatMap(({ tags = [] }) => tags));
  const unknown = [...used].filter((name) => !TAGS.some((tag) => tag.name === name));
  if (unknown.length > 0) throw new Error(`operations have tags without a description: ${unknown}`);
  return TAGS.filter(({ name }) => used.has(name));
}

function schemesOf(paths: OpenapiPaths): object {
  const named = new Set(operationsOf(paths).flatMap(({ security }) => security.flatMap(Object.keys)));
  return Object.fromEntries(Object.entries(SECURITY_SCHEMES).filter(([name]) => named.has(name)));
}
