// A service with a directory that pushes, and clients that send what Entra ID and Okta send.
import assert from 'node:assert/strict';
import type { IdentityId } from '../../../src/core/identity.ts';
import { seconds } from '../../../src/core/time.ts';
import { makeIntegrationSecret } from '../../../src/operations/admin/secrets.ts';
import { callerOver, json, reachOf } from '../../e2e/caller.ts';
import { registryFollows } from '../../e2e/registry-follows.ts';
import { clientId, startService, type TestService } from '../../e2e/service.ts';
import { anIntegration, OPERATOR } from '../../samples.ts';

export const ISSUER_URL = 'https://login.example/tenant/v2.0';
export const PATCH_OP = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
export const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';

export type Resource = Record<string, unknown> & { readonly id: string };

export interface Scim {
  readonly send: (method: string, path: string, body?: unknown, secret?: string) => Promise<ScimReply>;
  readonly identity: (resource: { readonly id: string }) => IdentityId;
}

export interface ScimReply {
  readonly status: number;
  readonly body: Resource;
  readonly headers: Readonly<Record<string, unknown>>;
}

function directoryOf(label: string, more: object = {}) {
  const scim = { integration: `${label}-scim` };
  return { label, kind: 'oidc', issuer: ISSUER_URL, clientId: 'tessera', scim, ...more };
}

export async function startPushed(limits: Record<string, object> = {}): Promise<TestService> {
  const directories = [
    directoryOf('entra', {
      idClaims: ['tid', 'oid'],
      scim: { integration: 'entra-scim', firstClaims: ['the tenant'] },
    }),
    directoryOf('okta', { issuer: 'https://okta.example' }),
    directoryOf('tested', { scim: { integration: 'tested-scim', id: 'userName' } }),
  ];
  return startService({
    settings: { directories, limits },
    issuers: [{ directories: ['entra'], identitySources: ['upn-san'] }],
    listeners: [{ tls: true }, { tls: true, doors: undefined }],
  });
}

export async function secretFor(service: TestService, id: string): Promise<string> {
  const flows = { device: false, certificate: false, secret: true };
  await service.register(anIntegration({ clientId: clientId(id), flows }));
  const made = await makeIntegrationSecret(id, seconds(86_400), { ...service.ports, by: OPERATOR });
  assert.ok(made.ok);
  await registryFollows();
  return made.value.secret.reveal();
}

export function scimAt(service: TestService, label: string, usual: string, port = service.port): Scim {
  return {
    identity: ({ id }) => `${label}:${id}` as IdentityId,
    send: async (method, path, body, secret = usual) => {
      const caller = callerOver('HTTP/1.1', { ...reachOf(service), port });
      try {
        const sent = body === undefined ? { headers: {} } : json(body as object);
        const headers = {
          ...sent.headers,
          ...(body !== undefined && { 'content-type': 'application/scim+json' }),
          ...(secret && { authorization: `Bearer ${secret}` }),
        };
        const answer = await caller.ask({ ...sent, method, path: `/scim/v2/${label}${path}`, headers });
        return { status: answer.status, body: answer.json as Resource, headers: answer.headers };
      } finally {
        caller.close();
      }
    },
  };
}
