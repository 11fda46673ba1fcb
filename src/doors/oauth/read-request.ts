import type { FastifyRequest } from 'fastify';
import { type NamedClient as NamedIntegration, namedClient } from '../../core/client-document.ts';
import { accept, type Outcome, refuse } from '../../core/outcome.ts';
import type { AuthenticatedClient } from '../../operations/grant/authenticate-client.ts';
import type { Call } from '../token/call.ts';
import { formOf, type ParameterSchema, readParameters } from '../token/parameters.ts';
import { readScopeList } from '../token/scope-list.ts';
import { authenticate, type GuestParameters, readClient } from './client.ts';
import type { ClientParameters } from './schemas.ts';
import type { OauthRefusal } from './wording.ts';

type ReadOutcome<T> = Outcome<T, OauthRefusal>;

export interface ReadRequest<Parameters> extends Pick<NamedIntegration, 'guest'> {
  /** Undefined only at the token endpoint, where an assertion may say it. */
  readonly clientId: string | undefined;
  readonly client: AuthenticatedClient | undefined;
  /** An assertion of a platform in the place of a client assertion. It is not checked yet. */
  readonly platformAssertion: string | undefined;
  readonly parameters: Parameters;
  /** In our own grammar; undefined if absent. */
  readonly scope: string | undefined;
}

export function readForm<Parameters>(request: FastifyRequest, schema: ParameterSchema): ReadOutcome<Parameters> {
  const form = formOf(request.headers['content-type'], ['form']);
  return form.ok ? readParameters<Parameters>(request.body, form.value, schema) : form;
}

/** Reads a form, and which integration sent it. An integration that sends proof of itself must be able to. */
export async function readRequest<Parameters extends ClientParameters & { readonly scope?: string }>(
  call: Call,
  schema: ParameterSchema,
): Promise<ReadOutcome<ReadRequest<Parameters>>> {
  const parameters = readForm<Parameters>(call.request, schema);
  if (!parameters.ok) return parameters;
  const named = readClient(call.request.headers.authorization, parameters.value);
  if (!named.ok) return named;
  const { sent, isOfPlatform } = named.value;
  const { clientId: name } = named.value;
  // A client_id names an integration, or a guest of one.
  const { clientId, guest }: Partial<NamedIntegration> = name === undefined ? {} : namedClient(name, call.mount.ports);
  call.recordIntegration(clientId);
  const { scope: list } = parameters.value;
  const scope = list === undefined ? accept(undefined) : readScopeList(list);
  if (!scope.ok) return scope;
  const platformAssertion = isOfPlatform && sent?.by === 'assertion' ? sent.assertion : undefined;
  const client =
    platformAssertion === undefined
      ? await authenticate({ ...named.value, clientId, guest }, parameters.value as GuestParameters, call)
      : accept(undefined);
  if (!client.ok) return client;
  return accept({
    clientId,
    ...(guest && { guest }),
    client: client.value,
    platformAssertion,
    parameters: parameters.value,
    scope: scope.value,
  });
}

/** The same at endpoints that need the client id, and know no assertion of a platform. */
export async function readClientRequest<Parameters extends ClientParameters & { readonly scope?: string }>(
  call: Call,
  schema: ParameterSchema,
): Promise<ReadOutcome<ReadRequest<Parameters> & { readonly clientId: string }>> {
  const read = await readRequest<Parameters>(call, schema);
  if (!read.ok) return read;
  const { clientId, platformAssertion } = read.value;
  if (clientId === undefined) return refuse('client-id-missing');
  return platformAssertion === undefined ? accept({ ...read.value, clientId }) : refuse('client-unproven');
}
