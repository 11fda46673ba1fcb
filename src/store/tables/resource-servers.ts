import type { ResourceServer } from '../../core/resource-server.ts';
import { registeredTable } from '../table.ts';

export const resourceServers = registeredTable<ResourceServer>('resource_servers', ['id', 'id']);
