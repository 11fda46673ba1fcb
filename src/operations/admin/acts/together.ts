// What the things of one document must not have in common. Each is compared with what is registered when it is planned; here, with the others.
import type { Integration } from '../../../core/integration.ts';
import type { ApprovedIssuer } from '../../../core/issuer.ts';
import type { ResourceServer } from '../../../core/resource-server.ts';
import { comparableAudience } from '../../../core/rules/audience.ts';
import type { TokenIssuer } from '../../../core/token-issuer.ts';
import { type AdminOutcome, decline } from '../admin.ts';
import { keyOf } from '../issuer-draft.ts';
import type { AdminRefusalReason } from '../refusals.ts';
import type { PlannedChange } from './plan.ts';

/** Only one of a document may have it. */
interface Claim {
  readonly of: string;
  readonly reason: AdminRefusalReason;
  readonly about: string;
}

const CLAIMS: Readonly<Record<string, (row: never) => readonly Claim[]>> = {
  integration: ({ clientId, removed }: Integration) => (removed ? [] : [idOfCaller(clientId), issOfCaller(clientId)]),
  'resource-server': ({ id, audience, removed }: ResourceServer) =>
    removed
      ? []
      : [
          idOfCaller(id),
          claim('audience', comparableAudience(audience), 'audience-taken', `the resource server ${id}`),
        ],
  issuer: ({ label, certificate, enabled }: ApprovedIssuer) =>
    enabled ? [ofLabel(label), claim('key', keyOf(certificate), 'issuer-key-approved', label)] : [],
  'token-issuer': ({ label, issuer, enabled }: TokenIssuer) =>
    enabled ? [ofLabel(label), claim('iss', issuer, 'token-issuer-registered', label), issOfCaller(issuer)] : [],
};

function claim(what: string, value: string, reason: AdminRefusalReason, about: string): Claim {
  return { of: `${what} ${value}`, reason, about };
}

const ofLabel = (label: string) => claim('label', label, 'label-taken', label);
const idOfCaller = (id: string) => claim('id', id, 'client-id-of-resource-server', id);
const issOfCaller = (id: string) => claim('caller', id, 'client-id-of-token-issuer', id);

export function whyNotTogether(changes: readonly PlannedChange[]): AdminOutcome<never> | undefined {
  const taken = new Map<string, Claim>();
  for (const { kind, next } of changes) {
    for (const each of CLAIMS[kind]?.(next as never) ?? []) {
      const other = taken.get(each.of);
      if (other) return decline(each.reason, other.about);
      taken.set(each.of, each);
    }
  }
  return undefined;
}
