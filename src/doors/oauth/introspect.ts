// The introspection endpoint (RFC 7662), for registered resource servers.
import { accept, type Outcome, refuse, refused } from '../../core/outcome.ts';
import type { ResourceServer } from '../../core/resource-server.ts';
import { introspectToken } from '../../operations/grant/check-token.ts';
import { identifyResourceServer } from '../../operations/grant/identify-resource-server.ts';
import { INACTIVE, introspectionAnswer } from './answers.ts';
import { readProof } from './client.ts';
import type { OauthCall } from './mount.ts';
import { readForm } from './read-request.ts';
import { type ClientParameters, type IntrospectionAnswer, IntrospectionParameters } from './schemas.ts';
import type { OauthRefusal } from './wording.ts';

export async function introspect(call: OauthCall): Promise<Outcome<IntrospectionAnswer, OauthRefusal>> {
  const parameters = readForm<IntrospectionParameters>(call.request, IntrospectionParameters);
  if (!parameters.ok) return parameters;
  const server = await askingServer(parameters.value, call);
  if (!server.ok) return server;
  const { token } = parameters.value;
  if (!token) return refuse('token-missing');
  const found = await introspectToken(token, server.value, call.mount.ports);
  if (!found) return accept(INACTIVE);
  call.recordGrant(found.grant);
  return accept(introspectionAnswer(found, server.value, call.mount.metadata.issuer));
}

/** The resource server that sent the request. RFC 7662 2.3: a caller that may not introspect gets 401, whatever the reason. */
export async function askingServer(
  parameters: ClientParameters,
  call: OauthCall,
): Promise<Outcome<ResourceServer, OauthRefusal>> {
  const proof = proofIn(parameters, call);
  // A resource server introspects for each of its own requests, so its limit is higher. Failed attempts also count against
  // the lower limit.
  const limited = call.mount.overCheckLimit(call.request) ?? (proof.ok ? undefined : call.overLimit());
  const server = limited ? refused(limited) : await identify(proof, call);
  if (!server.ok) return refused({ ...server.refusal, credential: 'resource-server' });
  call.record.resourceServer = server.value.id;
  return server;
}

async function identify(proof: ReturnType<typeof readProof>, call: OauthCall) {
  return proof.ok ? identifyResourceServer(proof.value, call.mount.ports, () => call.overLimit()) : proof;
}

function proofIn(parameters: ClientParameters, { request, presentation }: OauthCall): ReturnType<typeof readProof> {
  return readProof(request.headers.authorization, parameters, presentation);
}

/** Whether what the request sent still proves this resource server: tokens and certificates end, identities are disabled. */
export async function isStillProven(
  { id }: ResourceServer,
  parameters: ClientParameters,
  call: OauthCall,
): Promise<boolean> {
  const proof = proofIn(parameters, call);
  if (!proof.ok) return false;
  const found = await identifyResourceServer(proof.value, call.mount.ports, () => undefined);
  return found.ok && found.value.id === id;
}
