// An OpenAPI document of several mounts.
import { authsvcPaths, type DocumentedMount } from '../../src/doors/authsvc/openapi.ts';
import { oauthPaths } from '../../src/doors/oauth/openapi.ts';
import { openapiDocument } from '../../src/doors/openapi.ts';
import type { OpenapiDocument } from '../../src/doors/openapi-document.ts';
import { opsPaths } from '../../src/doors/ops/openapi.ts';

export const MOUNTS: readonly DocumentedMount[] = [
  { path: '/authsvc', errorKeys: 'spec' },
  { path: '/legacy', errorKeys: 'oauth' },
  { path: '/legacy/Twice.v2', errorKeys: 'both' },
  { path: '/legacy-twice/v2', errorKeys: 'both' },
];

export function documentOf(mounts: readonly DocumentedMount[]): OpenapiDocument {
  return openapiDocument({ publicUrl: 'https://tokens.corp.test', version: '1.2.3' }, [
    { openapi: authsvcPaths(mounts, 'https://tokens.corp.test') },
    { openapi: oauthPaths('/oauth2') },
    { openapi: opsPaths() },
  ]);
}
