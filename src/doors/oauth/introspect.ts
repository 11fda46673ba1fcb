// The introspection endpoint (RFC 7662), for registered resource servers.
import type { FastifyRequest } from 'fastify';
import { accept, type Outcome, refuse, refused } from '../../core/outcome.ts';
import type { ResourceServer } from '../../core/resource-server.ts';
import { identifyResourceServer } from '../../operations/grant/identify-resource-server.ts';
import { introspectToken } from '../../operations/grant/introspect-token.ts';
import { storyOf } from '../http/story.ts';
import { recordGrant } from '../token/request-story.ts';
import { INACTIVE, introspectionAnswer } from './answers.ts';
import { readProof } from './client.ts';
import type { OauthMount } from './mount.ts';
import { readForm } from './read-request.ts';
import { type ClientParameters, type IntrospectionAnswer, IntrospectionParameters } from './schemas.ts';
import type { OauthRefusal } from './wording.ts';

export async function introspect(
  request: FastifyRequest,
  mount: OauthMount,
): Promise<Outcome<IntrospectionAnswer, OauthRefusal>> {
  const parameters = readForm<IntrospectionParameters>(request, IntrospectionParameters);
  if (!parameters.ok) return parameters;
  const server = await askingServer(parameters.value, request, mount);
  if (!server.ok) return server;
  const { token } = parameters.value;
  if (!token) return refuse('token-missing');
  const found = await introspectToken(token, server.value, mount.ports);
  if (!found) return accept(INACTIVE);
  recordGrant(request, found.grant);
  return accept(introspectionAnswer(found, server.value, mount.metadata.issuer));
}

/** The resource server that sent the request. RFC 7662 2.3: a caller that may not introspect gets 401, whatever the reason. */
export async function askingServer(
  parameters: ClientParameters,
  request: FastifyRequest,
  mount: OauthMount,
): Promise<Outcome<ResourceServer, OauthRefusal>> {
  const server = await identify(parameters, request, mount);
  if (!server.ok) return refused({ ...server.refusal, credential: 'resource-server' });
  storyOf(request).resourceServer = server.value.id;
  return server;
}

async function identify(
  parameters: ClientParameters,
  request: FastifyRequest,
  mount: OauthMount,
): Promise<Outcome<ResourceServer, OauthRefusal>> {
  const proof = proofIn(parameters, request, mount);
  // A resource server introspects for each of its own requests, so its limit is higher. Failed attempts also count against
  // the lower limit.
  const limited = mount.overCheckLimit(request) ?? (proof.ok ? undefined : mount.overLimit(request));
  if (limited) return refused(limited);
  return proof.ok ? identifyResourceServer(proof.value, mount.ports, () => mount.overLimit(request)) : proof;
}

function proofIn(
  parameters: ClientParameters,
  request: FastifyRequest,
  mount: OauthMount,
): ReturnType<typeof readProof> {
  const presentation = { presented: mount.readPresented(request), requestId: request.id };
  return readProof(request.headers.authorization, parameters, presentation);
}

/** Whether what the request sent still proves this resource server: tokens and certificates end, identities are disabled. */
export async function isStillProven(
  { id }: ResourceServer,
  parameters: ClientParameters,
  request: FastifyRequest,
  mount: OauthMount,
): Promise<boolean> {
  const proof = proofIn(parameters, request, mount);
  if (!proof.ok) return false;
  const found = await identifyResourceServer(proof.value, mount.ports, () => undefined);
  return found.ok && found.value.id === id;
}
