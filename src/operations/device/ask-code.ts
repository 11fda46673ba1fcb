// An authorization request (RFC 6749 4.1.1), as the confirmation page sees it. Nothing is stored before the person decides.
import {
  type ClientDocument,
  type ClientUrl,
  hostFlaw,
  isClientUrl,
  namedClient,
  redirectFlaw,
  refuseDocument,
} from '../../core/client-document.ts';
import type { DeviceAuthorization, DeviceId } from '../../core/device.ts';
import type { IdentityId } from '../../core/identity.ts';
import type { Integration } from '../../core/integration.ts';
import { accept, type Outcome, type PersonOutcome, refuse } from '../../core/outcome.ts';
import type { Person } from '../../core/person.ts';
import type { Presenter } from '../../core/presenter.ts';
import type { PersonReason, Refusal } from '../../core/refusal.ts';
import type { Target } from '../../core/rules/audience.ts';
import { withFlow } from '../../core/rules/client.ts';
import { type AskedCode, CODE_LIFETIME, checkAskedCode, checkClient, MOST_CODES } from '../../core/rules/code.ts';
import { allowedIdentity } from '../../core/rules/identity.ts';
import { isFresh, strongProof } from '../../core/rules/proof.ts';
import { after, seconds } from '../../core/time.ts';
import { devices } from '../../store/tables/devices.ts';
import { DEVICE_SECRET_LENGTH, mintCode } from '../../tokens/opaque/token-text.ts';
import type { Secret } from '../../tokens/secret.ts';
import { sha256 } from '../../tokens/sha256.ts';
import { type Attempt, countAttempt } from '../attempts.ts';
import { namedResourceServers } from '../grant/issue-grant.ts';
import { newId, type Ports } from '../ports.ts';
import { clientWithKey, codeHash } from './redeem-device.ts';

/** Fetches the document of a guest for a person, or has it in memory. */
export type ReadDocument = (
  url: ClientUrl,
  by: IdentityId,
) => Promise<Outcome<ClientDocument, Refusal<'client-document-refused' | 'client-document-unavailable'>>>;

export interface CodeClient {
  readonly integration: Integration;
  readonly redirectUri: string;
  /** Of a guest. */
  readonly document?: ClientDocument;
}

/** Who asks. Before sign-in nothing is fetched, so a guest is `unknown` yet. */
export async function findClient(
  clientId: string,
  redirectUri: string | undefined,
  person: Person | undefined,
  ports: Ports,
  readDocument: ReadDocument,
): Promise<PersonOutcome<CodeClient | 'unknown'>> {
  const named = namedClient(clientId, ports);
  const integration = await ports.registry.findIntegration(named.clientId);
  if (!named.guest)
    return integration || !isClientUrl(clientId)
      ? checkClient({ integration, redirectUri })
      : refuseDocument('integration-unknown', clientId, hostFlaw(clientId));
  const served = withFlow(integration, 'code');
  if (!served.ok) return served;
  if (!person) return accept('unknown');
  const document = await readDocument(named.guest, person.identity.id);
  if (!document.ok) return document;
  if (redirectUri && document.value.withheld.includes(redirectUri))
    return refuseDocument('client-document-refused', named.guest, redirectFlaw(named.guest, redirectUri));
  const checked = checkClient({ integration, documented: document.value.redirectUris, redirectUri });
  return checked.ok ? accept({ ...checked.value, document: document.value }) : checked;
}

export type CodeTarget = Target & { readonly challenge: string };

/** What it asks for. A refusal is sent to the client. */
export async function findTarget(
  request: AskedCode,
  { integration }: CodeClient,
  ports: Ports,
): Promise<Outcome<CodeTarget>> {
  return checkAskedCode(request, integration, await namedResourceServers(request.resource, ports));
}

export function whyNotConfirm({ identity }: Person, { integration }: CodeClient): Refusal<PersonReason> | undefined {
  const decided = allowedIdentity(identity, integration);
  return decided.ok ? undefined : decided.refusal;
}

/** The code. Its row is that of a device authorization that was confirmed at once. */
export async function confirmCode(
  client: CodeClient,
  { scope, resource, challenge }: CodeTarget,
  person: Person,
  presenter: Presenter,
  ports: Ports,
): Promise<PersonOutcome<Secret>> {
  const { integration, redirectUri } = client;
  const allowed = allowedIdentity(person.identity, integration);
  if (!allowed.ok) return allowed;
  const by = allowed.value.id;
  const counted = await countDecision(person, ports);
  if (!counted.ok) return counted;
  const { clientId } = integration;
  const id = newId(ports) as DeviceId;
  const secret = ports.random(DEVICE_SECRET_LENGTH);
  return ports.store.create(devices, id, (now) => {
    const expiresAt = after(now, CODE_LIFETIME);
    const proof = isFresh(person.proof, now) ? strongProof(person.proof) : undefined;
    const next: DeviceAuthorization = {
      id,
      clientId,
      scope: scope.text,
      ...(resource && { resource }),
      userCodeHash: sha256(ports.random(DEVICE_SECRET_LENGTH)), // there is no user code
      deviceCodeHash: codeHash({ secret, integration, client: provedClient(client), redirectUri, challenge }),
      createdAt: now,
      expiresAt,
      interval: seconds(0),
      failedSignIns: 0,
      presenter,
      decision: { is: 'confirmed', by, at: now, ...(proof && { proof }) },
    };
    const code = mintCode('authorization', { deviceId: id, expiresAt, secret }, ports.keyring.minting);
    const event = { type: 'confirmed', at: now, clientId, identityId: by, subjectId: id, presenter } as const;
    return { outcome: accept(code), next, events: [{ ...event, ...guestDetail(client) }] };
  });
}

function provedClient({ integration, document }: CodeClient): string {
  if (!document) return integration.clientId;
  return document.mayComeWithout ? document.url : clientWithKey(document.url);
}

/** Denying needs no permission and leaves only an event. */
export async function denyCode(
  client: CodeClient,
  person: Person,
  presenter: Presenter,
  ports: Ports,
): Promise<PersonOutcome<undefined>> {
  const counted = await countDecision(person, ports);
  if (!counted.ok) return counted;
  const { clientId } = client.integration;
  const id = newId(ports) as DeviceId;
  const event = { type: 'denied', clientId, identityId: person.identity.id, subjectId: id, presenter } as const;
  return ports.store.change(devices, id, (_, at) => ({
    outcome: accept(undefined),
    events: [{ ...event, at, ...guestDetail(client) }],
  }));
}

async function countDecision({ identity }: Person, ports: Ports): Promise<PersonOutcome<Attempt>> {
  const counted = await countAttempt({ about: `code ${identity.id}`, most: MOST_CODES, within: CODE_LIFETIME }, ports);
  return counted.ok ? counted : refuse('rate-limited', { retryAfter: counted.refusal.retryAfter });
}

function guestDetail({ document }: CodeClient): { readonly detail?: { readonly guest: string } } {
  return document ? { detail: { guest: document.url } } : {};
}
