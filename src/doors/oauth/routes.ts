// The routes of the oauth door: one per endpoint.
import type { FastifyInstance } from 'fastify';
import { accept, type Outcome, refuse } from '../../core/outcome.ts';
import { WHOLE_SCOPE } from '../../core/rules/scope.ts';
import type { EpochSeconds } from '../../core/time.ts';
import { revokeByIntegration } from '../../operations/grant/revoke-grant.ts';
import { answerJson, replyJson } from '../http/answers.ts';
import { targetOf } from '../http/methods.ts';
import { Call } from '../token/call.ts';
import { obtainDevice, scopeRequest } from '../token/obtain.ts';
import { deviceAnswer } from './answers.ts';
import { introspect } from './introspect.ts';
import { mountKeySet, mountPublic, PUBLIC_HEADERS } from './key-set.ts';
import { METADATA_PATHS, PATHS, resourceMetadata, withRegistered } from './metadata.ts';
import type { OauthCall, OauthMount } from './mount.ts';
import { readClientRequest } from './read-request.ts';
import { replyOauthRefusal } from './reply.ts';
import { mountRevocations } from './revocations.ts';
import { DeviceForm, type DeviceParameters, RevocationForm, type RevocationParameters } from './schemas.ts';
import { issueToken } from './token.ts';
import type { OauthRefusal } from './wording.ts';

type OauthOutcome = Outcome<object, OauthRefusal>;
type Handle = (call: OauthCall) => Promise<OauthOutcome>;

/** Operations have the same names at every token door, in logs and metrics. */
const ROUTES: readonly (readonly [path: string, operation: string, handle: Handle])[] = [
  [PATHS.token, 'authorize-token', issueToken],
  [PATHS.device, 'authorize-device', authorizeDevice],
  [PATHS.revoke, 'revoke', revokeToken],
  [PATHS.introspect, 'introspect', introspect],
];

export function mountOauth(app: FastifyInstance, mount: OauthMount): void {
  app.addHook('onRoute', (route) => {
    route.config = { ...route.config, isExact: true };
  });
  app.addHook('onRequest', (request, reply, proceed) => {
    if (isWritten(targetOf(request.url), request.routeOptions.url ?? '')) proceed();
    else replyOauthRefusal(reply, { reason: 'not-found' });
  });
  for (const [path, operation, handle] of ROUTES) {
    app.post(mount.path + path, async (request, reply): Promise<void> => {
      const call = new Call(request, mount);
      call.record.operation = operation;
      const isProven = request.headers['dpop'] !== undefined;
      // RFC 9449 8.2: for the next proof.
      if (isProven) reply.header('dpop-nonce', mount.proofs.nonce());
      const outcome = call.chargeUnusable(await handle(call));
      if (outcome.ok && isProven) replyJson(reply, 200, JSON.stringify(outcome.value));
      else if (outcome.ok) answerJson(reply, JSON.stringify(outcome.value));
      else replyOauthRefusal(reply, outcome.refusal);
    });
  }
  mountMetadata(app, mount);
  mountKeySet(app, mount);
  mountRevocations(app, mount);
  mountResources(app, mount);
}

/** Whether a path is written as its route is. The last segment of a route may be a parameter. */
function isWritten(path: string, route: string): boolean {
  if (!route.endsWith('/:id')) return path === route;
  return path.slice(0, path.lastIndexOf('/') + 1) === route.slice(0, -':id'.length);
}

/** Written again every second if somebody asks: operators change integrations and keys. */
function mountMetadata(app: FastifyInstance, { path, metadata, ports }: OauthMount): void {
  const { registry, clock, settings } = ports;
  const codes = { ...settings, authorizationEndpoint: metadata.issuer + path + PATHS.authorize };
  let written: { readonly at?: EpochSeconds; readonly body: string } = { body: '' };
  for (const known of METADATA_PATHS) {
    mountPublic(app, known, 'metadata', (_, reply) => {
      const at = clock.now();
      if (written.at !== at) written = { at, body: JSON.stringify(withRegistered(metadata, registry, codes)) };
      reply.headers(PUBLIC_HEADERS).send(written.body);
    });
  }
}

/** RFC 9728, for APIs that cannot serve the document themselves. */
function mountResources(app: FastifyInstance, mount: OauthMount): void {
  const { registry } = mount.ports;
  mountPublic(app, `${mount.path}${PATHS.resources}/:id`, 'resource-metadata', (request, reply) => {
    const { id } = request.params as { id: string };
    const server = registry.resourceServers.find((known) => known.id === id);
    if (!server) return void replyOauthRefusal(reply, { reason: 'not-found' });
    reply.headers(PUBLIC_HEADERS).send(JSON.stringify(resourceMetadata(server, mount.metadata, registry)));
  });
}

/** RFC 8628 3.1. */
async function authorizeDevice(call: Call): Promise<OauthOutcome> {
  const read = await readClientRequest<DeviceParameters>(call, DeviceForm);
  if (!read.ok) return read;
  const { clientId, guest, client, scope = WHOLE_SCOPE, parameters } = read.value;
  if (guest) return refuse('integration-unknown');
  const { resource } = parameters;
  const asked = scopeRequest({ clientId, scope, resource, isAuthenticated: client !== undefined }, call);
  if (!asked.ok) return asked;
  const started = await obtainDevice(asked.value, call);
  return started.ok ? accept(deviceAnswer(started.value, call.mount.verificationUri)) : started;
}

/** RFC 7009. */
async function revokeToken(call: Call): Promise<OauthOutcome> {
  const read = await readClientRequest<RevocationParameters>(call, RevocationForm);
  if (!read.ok) return read;
  const { clientId, guest, client, parameters } = read.value;
  const { token } = parameters;
  if (!token) return refuse('token-missing');
  const { presenter } = call;
  const asked = { clientId, guest, isAuthenticated: client !== undefined, token, presenter };
  const revoked = await revokeByIntegration({ ...asked, overLimit: () => call.overLimit() }, call.ports);
  if (!revoked.ok) return revoked;
  if (revoked.value) call.recordGrant(revoked.value);
  return accept({});
}
