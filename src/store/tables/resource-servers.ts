import type { ResourceServer, ResourceServerId } from '../../core/resource-server.ts';
import type { Table } from '../table.ts';

export const resourceServers: Table<ResourceServer> = {
  name: 'resource_servers',
  columns: [
    { name: 'id', kind: 'text', fixed: true, of: ({ id }) => id },
    { name: 'body', kind: 'json', of: (server) => JSON.stringify({ ...server, id: undefined }) },
  ],
  keyOf: ({ id }) => id,
  encodeKey: (id) => id,
  decode: ([id, body]) => ({ id: id as ResourceServerId, ...JSON.parse(body as string) }),
};
