// The small tables that every node holds in memory: integrations, approved issuers, resource servers, keys.
import type { ClientId, Integration } from '../../core/integration.ts';
import type { ApprovedIssuer } from '../../core/issuer.ts';
import type { ResourceServer, ResourceServerId } from '../../core/resource-server.ts';
import { parseScope } from '../../core/scope.ts';
import type { Table } from '../table.ts';

export const integrations: Table<Integration> = {
  name: 'integrations',
  columns: [
    { name: 'client_id', kind: 'text', fixed: true, of: ({ clientId }) => clientId },
    { name: 'body', kind: 'json', of: integrationBody },
  ],
  keyOf: ({ clientId }) => clientId,
  encodeKey: (clientId) => clientId,
  decode: ([clientId, body]) => {
    const { scope: text, ...rest } = JSON.parse(body as string);
    const scope = parseScope(text);
    if (!scope) throw new Error(`the integration ${clientId} has a malformed scope in the store`);
    return { clientId: clientId as ClientId, scope, ...rest };
  },
  indexes: [],
};

export const issuers: Table<ApprovedIssuer> = {
  name: 'issuers',
  columns: [
    { name: 'label', kind: 'text', fixed: true, of: ({ label }) => label },
    { name: 'body', kind: 'json', of: issuerBody },
  ],
  keyOf: ({ label }) => label,
  encodeKey: (label) => label,
  decode: ([label, body]) => {
    const { certificate, intermediates, ...rest } = JSON.parse(body as string);
    return { label, certificate: Buffer.from(certificate, 'base64'), intermediates: intermediates.map(bytes), ...rest };
  },
  indexes: [],
};

export const resourceServers: Table<ResourceServer> = {
  name: 'resource_servers',
  columns: [
    { name: 'id', kind: 'text', fixed: true, of: ({ id }) => id },
    { name: 'body', kind: 'json', of: (server) => JSON.stringify({ ...server, id: undefined }) },
  ],
  keyOf: ({ id }) => id,
  encodeKey: (id) => id,
  decode: ([id, body]) => ({ id: id as ResourceServerId, ...JSON.parse(body as string) }),
  indexes: [],
};

/** A key that some node has minted with. `retired` keys may be missing from a keyring; all others must be there. */
export interface KeyMark {
  readonly id: number;
  readonly fingerprint: string;
  readonly retired: boolean;
}

export const keyMarks: Table<KeyMark> = {
  name: 'keys',
  columns: [
    { name: 'id', kind: 'integer', fixed: true, of: ({ id }) => id },
    { name: 'fingerprint', kind: 'text', fixed: true, of: ({ fingerprint }) => fingerprint },
    { name: 'retired', kind: 'integer', of: ({ retired }) => Number(retired) },
  ],
  keyOf: ({ id }) => String(id),
  encodeKey: Number,
  decode: ([id, fingerprint, retired]) => ({
    id: id as number,
    fingerprint: fingerprint as string,
    retired: retired === 1,
  }),
  indexes: [],
};

/** All but the key, which has a column of its own. */
function integrationBody(integration: Integration): string {
  return JSON.stringify({ ...integration, clientId: undefined, scope: integration.scope.text });
}

function issuerBody(issuer: ApprovedIssuer): string {
  const [certificate, intermediates] = [base64(issuer.certificate), issuer.intermediates.map(base64)];
  return JSON.stringify({ ...issuer, label: undefined, certificate, intermediates });
}

function base64(der: Uint8Array): string {
  return Buffer.from(der).toString('base64');
}

function bytes(text: string): Uint8Array {
  return Buffer.from(text, 'base64');
}
