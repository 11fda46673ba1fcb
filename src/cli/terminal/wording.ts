import type { AdminOutcome, AdminRefusal, AdminRefusalReason } from '../../operations/admin/admin.ts';
import { CommandFailure, type EXIT } from './exit.ts';

/** What is wrong, what to do about it, and how the command ends if not by `refused`. */
type Words = readonly [what: (about: string) => string, todo: string, end?: keyof typeof EXIT];

const WORDS: Readonly<Record<AdminRefusalReason, Words>> = {
  'client-id-malformed': [
    (id) => `${JSON.stringify(id)} is not a valid client id`,
    'Use 1 to 128 visible ASCII characters without spaces, for example orders-sync.',
  ],
  'scope-malformed': [
    (scope) => (scope ? `${JSON.stringify(scope)} is not a valid scope` : 'the scope is missing'),
    "Write resource:permission,permission with ; between resources, for example 'orders:read,write;stock:read'.",
  ],
  'text-malformed': [
    (field) => `the ${field} is empty, longer than 1000 characters, or holds control characters`,
    'Give plain text on one line.',
  ],
  'lifetime-malformed': [(field) => `${field} is zero`, 'Give a duration such as 90d, 12h or 15m.'],
  'lifetime-too-long': [(field) => `${field} is longer than 24h`, 'JWTs live for 24h at most; 10m is usual.'],
  'access-token-format-unknown': [
    (format) => `there is no access token format ${JSON.stringify(format)}`,
    'Use opaque or jwt, or leave it out.',
  ],
  'import-malformed': [
    (why) => `the file cannot be imported: ${why}`,
    'It must hold {"id": …, "name": …, "description": …, "scope": …} or a list of these. Nothing was imported.',
  ],
  'integration-exists': [
    (id) => `the integration ${id} is registered already`,
    'Change it with: tessera integration change CLIENT_ID … (import: add --update).',
  ],
  'integration-unknown': [(id) => `there is no integration ${id}`, 'List them with: tessera integration list'],
  'client-id-of-resource-server': [
    (id) => `${id} is the id of a resource server`,
    'Choose another client id; the two are never the same.',
  ],
  'resource-server-id-malformed': [
    (id) => `${JSON.stringify(id)} is not a valid id of a resource server`,
    'Use 1 to 128 letters, digits, ".", "_", "~" or "-", for example orders-api.',
  ],
  'resource-server-id-taken': [
    (id) => `${id} is the client id of an integration`,
    'Choose another id; the two are never the same.',
  ],
  'resource-server-exists': [
    (id) => `the resource server ${id} is registered already`,
    'Change it with: tessera resource-server change ID …',
  ],
  'resource-server-unknown': [
    (id) => `there is no resource server ${id}`,
    'List them with: tessera resource-server list',
  ],
  'resource-server-removal-unconfirmed': [
    (id) => `this would remove ${id}: it could no longer check tokens, and no token would be for it`,
    'To confirm, add --yes.',
  ],
  'audience-malformed': [
    (text) => `${JSON.stringify(text)} is not a valid audience`,
    'Give an absolute URI without a fragment, for example https://orders.example.com.',
  ],
  'audience-taken': [
    (what) => `this audience belongs to ${what}`,
    'Choose another; each audience names one resource server.',
  ],
  'resource-malformed': [
    (text) => `${JSON.stringify(text)} is not a resource that a resource server can serve`,
    'Give the part of a scope before the colon, for example orders. The resource tessera is reserved.',
  ],
  'resources-missing': [() => 'the resource server would serve no resource', 'Give at least one: --resource orders'],
  'secrets-exhausted': [
    (id) => `${id} has two secrets already`,
    'Drop the old one with --drop-old, or replace both at once with --replace.',
  ],
  'secrets-not-two': [(id) => `${id} has no old secret`, 'Make a new one first: tessera resource-server secret ID'],
  'identity-id-malformed': [
    (id) => `${JSON.stringify(id)} is not a valid identity id`,
    'It looks like local:{0a1b2c3d-…} or LABEL:hex; tessera identity list shows them.',
  ],
  'user-name-malformed': [
    (name) => `${JSON.stringify(name)} is not a valid user name`,
    'Use 1 to 128 characters without spaces, slashes or colons.',
  ],
  'user-name-taken': [(name) => `the user name ${name} is taken`, 'Choose another; user names are unique.'],
  'address-malformed': [
    (address) => `${JSON.stringify(address)} is not an e-mail address or principal name`,
    'It looks like ada@example.com.',
  ],
  'address-shared': [
    (address) => `another identity already has ${address}`,
    'Certificates with it would be refused for both. To allow that, add --shared.',
  ],
  'identity-unknown': [(name) => `there is no identity ${name}`, 'List them with: tessera identity list'],
  'identity-ambiguous': [
    (name) => `several identities are called ${name}, or have an id that begins so`,
    'Name it by its id; tessera identity list shows them.',
  ],
  'identity-not-local': [
    (id) => `${id} is not an identity of the local directory`,
    'Its password, if it has one, is kept elsewhere.',
  ],
  'identity-derived': [
    (id) => `${id} is made from certificates or assertions and would come back with the next one`,
    'Refuse it instead: tessera identity disable',
  ],
  'removal-unconfirmed': [(name) => `this would remove ${name} and end its grants, for good`, 'To confirm, add --yes.'],
  'password-too-short': [
    (length) => `the password is shorter than ${length} characters`,
    'Choose a longer one, or let --generate make one.',
  ],
  'label-malformed': [
    (label) => `${JSON.stringify(label)} is not a valid issuer label`,
    'Use a letter, then letters, digits, "_", ".", "+" or "-", at most 64; not "local".',
  ],
  'issuer-exists': [(label) => `an issuer ${label} is approved already`, 'Remove it first, or choose another label.'],
  'issuer-key-approved': [
    (label) => `this authority's key is approved already, as ${label}`,
    'Remove that one first: one key has one label.',
  ],
  'issuer-unknown': [(label) => `there is no approved issuer ${label}`, 'List them with: tessera issuer list'],
  'label-taken': [
    (label) => `the label ${label} is that of another kind of issuer`,
    'Choose another: identities are named by it, so it stays taken even if that issuer was removed.',
  ],
  'token-issuer-malformed': [
    (issuer) => `${JSON.stringify(issuer)} cannot be the iss of an assertion`,
    'Give the text exactly as the assertions have it, such as https://token.actions.githubusercontent.com',
  ],
  'token-issuer-ours': [
    (issuer) => `${issuer} is the issuer of this service`,
    'Tokens of this service are not assertions. Give the issuer of the platform.',
  ],
  'token-issuer-exists': [
    (label) => `a token issuer ${label} is registered already`,
    'Change it with: tessera token-issuer change LABEL …',
  ],
  'token-issuer-registered': [
    (label) => `this issuer is registered already, as ${label}`,
    'Change that one, or remove it first: one issuer has one label.',
  ],
  'token-issuer-unknown': [(label) => `there is no token issuer ${label}`, 'List them with: tessera token-issuer list'],
  'key-address-malformed': [
    (url) => `keys cannot be fetched from ${JSON.stringify(url)}`,
    'Give an https address (http only on loopback), or the keys themselves: --jwks-file FILE',
  ],
  'key-set-unusable': [
    (why) => `the file with the keys cannot be used: ${why}`,
    'Give a JSON Web Key Set with public keys.',
  ],
  'authorities-unreadable': [
    () => 'the file of --ca-file holds no readable certificate',
    'Give a PEM file that begins with -----BEGIN CERTIFICATE-----.',
  ],
  'assertion-audience-malformed': [
    (text) => `${JSON.stringify(text)} cannot be an audience`,
    'Give a text without spaces, such as https://tokens.example.com',
  ],
  'assertion-lifetime-malformed': [
    (length) => `assertions cannot be valid for ${length} seconds`,
    'Give a duration from 1s to 24h.',
  ],
  'rule-malformed': [(why) => why, 'See "Rules" in docs/workloads.md.'],
  'issuer-key-differs': [
    (label) => `the certificate has another key than the issuer ${label}`,
    'A renewed certificate has the same key. Approve a new key under its own label: tessera issuer add',
  ],
  'certificate-unreadable': [
    (which) => `the file holds no readable certificate (${which})`,
    'Give a PEM file that begins with -----BEGIN CERTIFICATE-----.',
  ],
  'certificate-not-authority': [
    (subject) => `the certificate of ${subject} is not an authority's`,
    'Give the certificate of the authority that issues to callers, not that of a caller or a server.',
  ],
  'certificate-expired': [(which) => `the certificate of ${which}`, 'Give the current one.'],
  'certificate-refused': [
    (which) => `no certificate of this authority would be accepted: ${which}`,
    'Give a certificate that follows the rule; docs/certificates.md lists all rules.',
  ],
  'address-range-malformed': [
    (text) => `${text} is not an IP address or network`,
    'Give an address or a network, such as 10.1.0.0/16.',
  ],
  'crl-file-unusable': [(why) => why, 'Give a file with CRLs, PEM or DER.'],
  'grant-unknown': [(id) => `there is no grant ${JSON.stringify(id)}`, 'List them with: tessera grant list --all'],
  'grant-ambiguous': [
    (digits) => `several grants begin with ${digits}`,
    'Give more digits; tessera grant list --all shows them.',
  ],
  'grant-not-live': [
    (id) => `there is no grant ${JSON.stringify(id)} that is still live`,
    'List them with: tessera grant list --all',
  ],
  'confirmation-missing': [(count) => `this would end ${count} grants`, 'To confirm, add --yes.'],
  'event-log-rolled-back': [
    (where) => `the event log ended at ${where}: the store was put back to an older state`,
    'See: tessera doctor. Then follow it again; sequence numbers will repeat.',
    'store',
  ],
  'rollback-none': [
    (epoch) => `no node has noticed that the store was put back (epoch ${epoch})`,
    'There is nothing to accept. Nodes notice it within seconds, if they were running before.',
  ],
  'rollback-open': [
    (count) => `something that had ended works again: ${count}`,
    'List it with: tessera store history. Then add --end-again to end it again, or --leave to leave it as it is.',
  ],
  'keyring-in-variable': [
    (name) => `the keyring is in the variable ${name}, which a command cannot change`,
    'Keep it in a file while you change it: --set keyring=FILE.',
  ],
  'keyring-busy': [
    (file) => `another command is changing the keyring: it holds ${file}`,
    'Wait for it, then try again. If no such command runs, on any machine that shares this folder, remove that file.',
  ],
  'clock-implausible': [
    (why) => `${why}: nothing was changed`,
    'Set the clock and keep it by NTP. If it is right, start the service, which records the time, and try again. If the service refuses the time too: tessera serve --accept-clock',
  ],
  'key-unknown': [(id) => `the keyring has no key ${id}`, 'List them with: tessera keyring list'],
  'key-mints': [(id) => `key ${id} is the minting key`, 'Make another key mint first: tessera keyring mint ID'],
  'key-mints-already': [(id) => `key ${id} is the minting key already`, 'There is nothing to do.'],
  'key-not-everywhere': [
    (names) => `these nodes do not have the key yet: ${names}`,
    'Copy the keyring to them; running nodes load it and report it within seconds. One that is gone counts for three minutes; "keyring mint" has --force.',
  ],
  'key-in-use': [
    (count) => `live grants still use this key: ${count}`,
    'They move to the minting key when they refresh. Wait for that, or end them with: tessera grant revoke',
  ],
  'key-tokens-alive': [
    (until) => `access tokens minted with this key may work until ${until}`,
    'Wait until then, or add --at-once to end them now (for a key that leaked).',
  ],
  'signing-key-missing': [() => 'there is no signing key yet', 'Add one: tessera keyring add --signing ES256'],
  'signing-key-signs': [
    (id) => `key ${id} signs`,
    'Let another key sign first: tessera keyring add --signing ALGORITHM, then tessera keyring mint ID',
  ],
  'signing-key-signs-already': [(id) => `key ${id} signs already`, 'There is nothing to do.'],
  'signing-key-retiring': [
    (id) => `key ${id} has signed before, and another key followed it`,
    'Add a new one: tessera keyring add --signing ALGORITHM',
  ],
  'signing-key-too-recent': [
    (at) => `resource servers may not have fetched this key yet; it can sign from ${at}`,
    'Wait until then, or add --force (for a key that leaked): tokens may be refused until resource servers fetch the key.',
  ],
  'key-ids-exhausted': [(most) => `key ids end at ${most}`, 'End all grants and start a new installation.'],
};

/** The value of an outcome. A refusal ends the command. */
export function accepted<T>(outcome: AdminOutcome<T>): T {
  if (outcome.ok) return outcome.value;
  throw failureOf(outcome.refusal);
}

function failureOf({ reason, about }: AdminRefusal): CommandFailure {
  const [what, todo, end = 'refused'] = WORDS[reason];
  return new CommandFailure(end, what(about), todo, reason);
}
