import type { FastifyRequest } from 'fastify';
import { type NamedClient, namedClient } from '../../core/client-document.ts';
import { accept, type Outcome } from '../../core/outcome.ts';
import type { Refusal } from '../../core/refusal.ts';
import type { TokenMount } from '../token/mount.ts';
import { formOf, type ParameterSchema, readParameters } from '../token/parameters.ts';
import { recordIntegration } from '../token/request-story.ts';
import { readClientId } from './client.ts';
import type { ClientParameters } from './schemas.ts';
import { readScopeList } from './scope-list.ts';
import type { OauthReason } from './wording.ts';

type ReadOutcome<T> = Outcome<T, Refusal<OauthReason>>;

interface ReadRequest<Parameters> extends NamedClient {
  readonly parameters: Parameters;
  /** In our own grammar; undefined if absent. */
  readonly scope: string | undefined;
}

/** Reads a form. */
export function readForm<Parameters>(request: FastifyRequest, schema: ParameterSchema): ReadOutcome<Parameters> {
  const form = formOf(request.headers['content-type'], ['form']);
  return form.ok ? readParameters<Parameters>(request.body, form.value, schema) : form;
}

/** Reads a form, and which integration sent it. */
export function readRequest<Parameters extends ClientParameters & { readonly scope?: string }>(
  request: FastifyRequest,
  { ports }: TokenMount,
  schema: ParameterSchema,
): ReadOutcome<ReadRequest<Parameters>> {
  const parameters = readForm<Parameters>(request, schema);
  if (!parameters.ok) return parameters;
  const clientId = readClientId(request.headers.authorization, parameters.value);
  if (!clientId.ok) return clientId;
  const client = namedClient(clientId.value, ports.settings.clientDocuments);
  recordIntegration(request, client.clientId, ports);
  const { scope: list } = parameters.value;
  const scope = list === undefined ? accept(undefined) : readScopeList(list);
  if (!scope.ok) return scope;
  return accept({ ...client, parameters: parameters.value, scope: scope.value });
}
