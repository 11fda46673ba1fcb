import type { ResourceServer, ResourceServerId } from '../../core/resource-server.ts';
import { keyedTable } from '../table.ts';

export const resourceServers = keyedTable<ResourceServer>({
  name: 'resource_servers',
  columns: [
    { name: 'id', kind: 'text', fixed: true, of: ({ id }) => id },
    { name: 'body', kind: 'json', of: (server) => JSON.stringify({ ...server, id: undefined }) },
  ],
  decode: ([id, body]) => ({ id: id as ResourceServerId, ...JSON.parse(body as string) }),
});
