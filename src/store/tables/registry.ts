// The small tables that every node holds in memory: integrations, approved issuers, keys.
import type { ClientId, Integration } from '../../core/integration.ts';
import type { ApprovedIssuer } from '../../core/issuer.ts';
import { parseScope } from '../../core/scope.ts';
import type { Table } from '../table.ts';

export const integrations: Table<Integration> = {
  name: 'integrations',
  columns: [
    { name: 'client_id', kind: 'text', fixed: true },
    { name: 'body', kind: 'json' },
  ],
  keyOf: ({ clientId }) => clientId,
  encodeKey: (clientId) => clientId,
  encode: ({ clientId, scope, ...body }) => [clientId, JSON.stringify({ ...body, scope: scope.text })],
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
    { name: 'label', kind: 'text', fixed: true },
    { name: 'body', kind: 'json' },
  ],
  keyOf: ({ label }) => label,
  encodeKey: (label) => label,
  encode: ({ label, certificate, intermediates, ...body }) => [
    label,
    JSON.stringify({ ...body, certificate: base64(certificate), intermediates: intermediates.map(base64) }),
  ],
  decode: ([label, body]) => {
    const { certificate, intermediates, ...rest } = JSON.parse(body as string);
    return { label, certificate: Buffer.from(certificate, 'base64'), intermediates: intermediates.map(bytes), ...rest };
  },
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
    { name: 'id', kind: 'integer', fixed: true },
    { name: 'fingerprint', kind: 'text', fixed: true },
    { name: 'retired', kind: 'integer' },
  ],
  keyOf: ({ id }) => String(id),
  encodeKey: Number,
  encode: ({ id, fingerprint, retired }) => [id, fingerprint, Number(retired)],
  decode: ([id, fingerprint, retired]) => ({
    id: id as number,
    fingerprint: fingerprint as string,
    retired: retired === 1,
  }),
  indexes: [],
};

function base64(der: Uint8Array): string {
  return Buffer.from(der).toString('base64');
}

function bytes(text: string): Uint8Array {
  return Buffer.from(text, 'base64');
}
