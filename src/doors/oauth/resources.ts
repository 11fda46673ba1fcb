// Protected resource metadata (RFC 9728) of registered resource servers, for APIs that cannot serve the document themselves.
import type { FastifyInstance } from 'fastify';
import type { ResourceServer } from '../../core/resource-server.ts';
import { mountPublic, PUBLIC_HEADERS } from './key-set.ts';
import { PATHS, scopesForPeople } from './metadata.ts';
import type { OauthMount } from './mount.ts';
import { replyOauthRefusal } from './reply.ts';
import type { ResourceMetadata } from './schemas.ts';

export function mountResources(app: FastifyInstance, mount: OauthMount): void {
  const { registry } = mount.ports;
  mountPublic(app, `${mount.path}${PATHS.resources}/:id`, 'resource-metadata', (request, reply) => {
    const { id } = request.params as { id: string };
    const server = registry.resourceServers.find((known) => known.id === id);
    if (server) reply.headers(PUBLIC_HEADERS).send(JSON.stringify(resourceMetadata(server, mount)));
    else replyOauthRefusal(request, reply, { reason: 'not-found' });
  });
}

function resourceMetadata(
  { audience, name, resources }: ResourceServer,
  { metadata, ports }: OauthMount,
): ResourceMetadata {
  const scopes = scopesForPeople(ports.registry, metadata.device_authorization_endpoint !== undefined);
  const served = scopes.filter((item) => resources.includes(item.split(':')[0] ?? ''));
  return {
    resource: audience,
    authorization_servers: [metadata.issuer],
    bearer_methods_supported: ['header'],
    resource_name: name,
    ...(served.length > 0 && { scopes_supported: served }),
  };
}
