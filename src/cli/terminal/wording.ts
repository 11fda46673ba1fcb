import type { AdminOutcome, AdminRefusal } from '../../operations/admin/admin.ts';
import { type AdminRefusalClass, describeRefusal, type ReasonToAct } from '../../operations/admin/refusals.ts';
import { CommandFailure, type EXIT } from './exit.ts';

/** How the command ends, if not by `refused`. */
const ENDS: Readonly<Partial<Record<AdminRefusalClass, keyof typeof EXIT>>> = {
  gone: 'store',
  unauthorized: 'login',
  forbidden: 'login',
};

/** How to act at the terminal: the rest of the remedy's sentence. */
export const TO_TYPE: Readonly<Record<ReasonToAct, string>> = {
  'resources-missing': ': --resource orders',
  'password-too-short': ', or let --generate make one.',
  'key-address-malformed': ': --jwks-file FILE',
  'integration-unknown': ' with: tessera integration list',
  'resource-server-unknown': ' with: tessera resource-server list',
  'identity-unknown': ' with: tessera identity list',
  'identity-ambiguous': '; tessera identity list shows them.',
  'identity-elsewhere': '; tessera identity list shows it.',
  'issuer-unknown': ' with: tessera issuer list',
  'token-issuer-unknown': ' with: tessera token-issuer list',
  'grant-unknown': ' with: tessera grant list --all',
  'guest-unknown': ' with: tessera grant list --all',
  'grant-ambiguous': '; tessera grant list --all shows them.',
  'grant-not-live': ' with: tessera grant list --all',
  'key-unknown': ' with: tessera keyring list',
  'integration-exists': ' with: tessera integration change %s … (import: add --update).',
  'resource-server-exists': ' with: tessera resource-server change %s …',
  'secrets-exhausted': ': --drop-old or --replace',
  'secrets-not-two': ': tessera resource-server secret %s',
  'passkey-unknown': ' with: tessera identity passkey list IDENTITY',
  'public-key-unknown': ' with: tessera integration key list CLIENT_ID',
  'public-keys-too-many': ': tessera integration key remove CLIENT_ID KID',
  'secret-flow-off': ': tessera integration change %s --secret yes',
  'public-with-proofs': ': its keys, --secret no, and with tessera integration secret %s --drop-all',
  'client-secrets-exhausted': ': tessera integration secret %s --drop-old',
  'client-secrets-none': ': tessera integration secret %s --ends-in 90d',
  'identity-derived': ': tessera identity disable %s',
  'issuer-key-differs': ': tessera issuer add',
  'password-apart': ': tessera identity set-password %s',
  'token-issuer-exists': ' with: tessera token-issuer change %s …',
  'keyring-in-variable': ': --set keyring=FILE.',
  'key-mints': ': tessera keyring mint ID',
  'signing-key-missing': ': tessera keyring add --signing ES256',
  'signing-key-signs': ': tessera keyring add --signing ALGORITHM, then tessera keyring mint ID',
  'signing-key-retiring': ': tessera keyring add --signing ALGORITHM',
  'resource-server-removal-unconfirmed': ' with --yes.',
  'address-shared': ' with --shared.',
  'removal-unconfirmed': ' with --yes.',
  'confirmation-missing': ' with --yes.',
  'login-scope-missing': ': tessera login --scope %s',
  'group-missing': ': tessera identity change NAME --group %s',
  'rollback-open': ': --end-again or --leave. List it with: tessera store history',
  'clock-implausible': '. If the service refuses the time too: tessera serve --accept-clock',
  'key-not-everywhere': '; "keyring mint" has --force.',
  'key-in-use': ' with: tessera grant revoke',
  'key-tokens-alive': ' with --at-once.',
  'signing-key-too-recent': ': --force',
  'event-log-rolled-back': '. See: tessera doctor',
};

/** The value of an outcome. A refusal ends the command. */
export function accepted<T>(outcome: AdminOutcome<T>): T {
  if (outcome.ok) return outcome.value;
  throw failureOf(outcome.refusal);
}

function failureOf({ reason, about }: AdminRefusal): CommandFailure {
  const { class: kind, what, remedy } = describeRefusal(reason, about);
  const todo =
    typeof remedy === 'string' ? remedy : `${remedy.act}${TO_TYPE[reason as ReasonToAct].replace('%s', () => about)}`;
  return new CommandFailure(ENDS[kind] ?? 'refused', what, todo, reason);
}
