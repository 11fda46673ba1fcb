// Every refusal of an administrative act, worded for every interface: the terminal, HTTP, pages. No command, flag or status is named
// here: each interface maps the classes to its own codes, and says how an act is done there.

/** What is wrong | what to do. %s: what it is about; %j: the same in quotes. After `…`, the interface says how to do it. */
type Words = `${string} | ${string}`;

const SCOPE =
  "Write resource:permission,permission with ; between resources, for example 'orders:read,write;stock:read'.";
const PEM = 'Give a PEM file that begins with -----BEGIN CERTIFICATE-----.';

const TABLE = {
  /** What was given cannot be accepted, whatever is registered. */
  malformed: {
    'client-id-malformed':
      '%j is not a valid client id | Use 1 to 128 visible ASCII characters without spaces, quotes, < and >, for example orders-sync. An https address names a client by its document: oauth.clientDocuments (docs/agents.md).',
    'redirect-uri-malformed':
      '%j cannot be a redirect URI | Give at most 20: https://NAME/PATH, http://127.0.0.1/PATH (any port is accepted then), or SCHEME:/PATH with a dot in the scheme.',
    'scope-missing': `the scope is missing | ${SCOPE}`,
    'scope-malformed': `%j is not a valid scope | ${SCOPE}`,
    'text-malformed':
      'the %s is empty, longer than 1000 characters, or holds control characters or markup | Give plain text on one line.',
    'lifetime-malformed': '%s is zero, or longer than 100 years | Give a duration such as 90d, 12h or 15m.',
    'lifetime-too-long': '%s is longer than 24h | JWTs live for 24h at most; 10m is usual.',
    'object-malformed': '%s | The reference of the API and its schema list every member.',
    'import-malformed':
      'the file cannot be imported: %s | It must hold {"id": …, "name": …, "description": …, "scope": …} or a list of these. Nothing was imported.',
    'resource-server-id-malformed':
      '%j is not a valid id of a resource server | Use 1 to 128 letters, digits, ".", "_", "~" or "-", for example orders-api.',
    'audience-malformed':
      '%j is not a valid audience | Give an absolute URI without a fragment, for example https://orders.example.com.',
    'resource-malformed':
      '%j is not a resource that a resource server can serve | Give the part of a scope before the colon, for example orders. The resource tessera is reserved.',
    'resources-missing': 'the resource server would serve no resource | Give at least one…',
    'user-name-malformed': '%j is not a valid user name | Use 1 to 128 characters without spaces, slashes or colons.',
    'address-malformed': '%j is not an e-mail address or principal name | It looks like ada@example.com.',
    'password-too-short': 'the password is shorter than %s characters | Choose a longer one…',
    'label-malformed':
      '%j is not a valid issuer label | Use a letter, then letters, digits, "_", ".", "+" or "-", at most 64; not "local".',
    'token-issuer-malformed':
      '%j cannot be the iss of an assertion | Give the text exactly as the assertions have it, such as https://token.actions.githubusercontent.com',
    'key-address-malformed':
      'keys cannot be fetched from %j | Give an https address (http only on loopback), or the keys themselves…',
    'key-set-unusable': 'the file with the keys cannot be used: %s | Give a JSON Web Key Set with public keys.',
    'public-key-unusable':
      'the public key cannot be used: %s | Give a PEM file, or JSON (a key or a key set), with RSA, P-256, P-384, P-521 or Ed25519 keys.',
    'secret-lifetime-malformed': 'a secret of %s must end within 180 days | Give a duration such as 90d.',
    'exchange-malformed':
      '%j is not an integration with a scope | Write CLIENT_ID=SCOPE, such as orders-api=stock:read.',
    'authorities-unreadable': `the file with the authorities holds no readable certificate | ${PEM}`,
    'assertion-audience-malformed':
      '%j cannot be an audience | Give a text without spaces, such as https://tokens.example.com',
    'assertion-lifetime-malformed': 'assertions cannot be valid for %s seconds | Give a duration from 1s to 366d.',
    'rule-malformed': '%s | See "Rules" in docs/workloads.md.',
    'certificate-unreadable': `the file holds no readable certificate (%s) | ${PEM}`,
    'certificate-not-authority':
      "the certificate of %s is not an authority's | Give the certificate of the authority that issues to callers, not that of a caller or a server.",
    'certificate-expired': 'the certificate of %s | Give the current one.',
    'certificate-refused':
      'no certificate of this authority would be accepted: %s | Give a certificate that follows the rule; docs/certificate-rules.md lists all rules.',
    'address-range-malformed': '%s is not an IP address or network | Give one, such as 10.1.0.0/16.',
    'issuer-setting-malformed': '%s | docs/certificates.md has the settings of an issuer.',
    'crl-file-unusable': '%s | Give a file with CRLs, PEM or DER.',
  },

  /** The name fits nothing, or more than one thing. */
  unknown: {
    'integration-unknown': 'there is no integration %s | List them…',
    'resource-server-unknown': 'there is no resource server %s | List them…',
    'identity-unknown': 'there is no identity %s | List them…',
    'identity-ambiguous': 'several identities are called %s, or have an id that begins so | Name it by its id…',
    'identity-elsewhere': '%s is a user name in another directory, where people may choose it | Name it by its id…',
    'issuer-unknown': 'there is no approved issuer %s | List them…',
    'token-issuer-unknown': 'there is no token issuer %s | List them…',
    'certificate-unknown': 'no grant is by the certificate %s | Give its serial number, or the SHA-256 of its key.',
    'grant-unknown': 'there is no grant %j | List them…',
    'cursor-unknown': 'the cursor does not belong to this list | Begin again without a cursor.',
    'guest-unknown': 'there is no grant of the client %s | List them…',
    'grant-ambiguous': 'several grants begin with %s | Give more digits…',
    'grant-not-live': 'there is no grant %j that is still live | List them…',
    'key-unknown': 'the keyring has no key %s | List them…',
    'passkey-unknown': 'the identity has no passkey %s | List them…',
    'public-key-unknown': 'the integration has no public key %s | List them…',
  },

  /** What is registered does not allow it: something else must change first. */
  conflict: {
    'integration-exists': 'the integration %s is registered already | Change it…',
    'client-id-of-resource-server':
      '%s is the id of a resource server | Choose another client id; the two are never the same.',
    'resource-server-id-taken':
      '%s is the client id of an integration | Choose another id; the two are never the same.',
    'resource-server-exists': 'the resource server %s is registered already | Change it…',
    'audience-taken': 'this audience belongs to %s | Choose another; each audience names one resource server.',
    'secrets-exhausted': '%s has two secrets already | Drop the old one, or replace both at once…',
    'secrets-not-two': '%s has no old secret | Make a new one first…',
    'public-keys-too-many': 'an integration has %s public keys at most | Remove one first…',
    'secret-flow-off': 'secrets are off for %s | Turn them on, if a key or a certificate is not possible…',
    'public-with-proofs':
      'the integration %s has keys or secrets, or secrets are on, so that it is confidential | Take them away first…',
    'client-secrets-exhausted': '%s has two secrets already | Drop the old one first…',
    'client-secrets-none': '%s has no old secret | Make a new one first…',
    'client-id-of-token-issuer':
      '%s is the iss of a token issuer | Choose another; the two are never the same, so that every assertion is of one kind.',
    'user-name-taken': 'the user name %s is taken | Choose another; user names are unique.',
    'identity-not-local':
      '%s is not an identity of the local directory | Its password, if it has one, is kept elsewhere.',
    'identity-derived':
      '%s is made from certificates or assertions and would come back with the next one | Disable it instead…',
    'operator-last':
      '%s is the last operator: nobody could administer the service from elsewhere | Put another enabled identity into the group operators first, or use a command beside the store.',
    'issuer-exists': 'an issuer %s is approved already | Change it, or choose another label.',
    'issuer-key-approved':
      "this authority's key is approved already, as %s | Change that one, or remove it first: one key has one label.",
    'issuer-key-differs':
      'the certificate has another key than the issuer %s | A renewed certificate has the same key. Approve a new key under its own label…',
    'label-taken':
      'the label %s is that of another kind of issuer | Choose another: identities are named by it, so it stays taken even if that issuer was removed.',
    'token-issuer-ours':
      '%s is the issuer of this service | Tokens of this service are not assertions. Give the issuer of the platform.',
    'list-file-elsewhere': '%s cannot be read here | Name a list file by a command beside the store.',
    'password-apart': '%s exists: a password goes with a new identity only | Set it by itself…',
    'token-issuer-exists': 'a token issuer %s is registered already | Change it…',
    'token-issuer-iss-differs': 'the token issuer %s has another iss | Remove it first, or choose another label.',
    'token-issuer-registered':
      'this issuer is registered already, as %s | Change that one, or remove it first: one issuer has one label.',
    'rollback-none':
      'no node has noticed that the store was put back (epoch %s) | There is nothing to accept. Nodes notice it within seconds, if they were running before. If all were stopped meanwhile, compare with a copy of the later state.',
    'keyring-in-variable':
      'the keyring is in the variable %s, which a command cannot change | Keep it in a file while you change it…',
    'key-mints': 'key %s is the minting key | Make another key mint first…',
    'key-mints-already': 'key %s is the minting key already | There is nothing to do.',
    'key-ids-exhausted': 'key ids end at %s | End all grants and start a new installation.',
    'signing-key-missing': 'there is no signing key yet | Add one…',
    'signing-key-signs': 'key %s signs | Let another key sign first…',
    'signing-key-signs-already': 'key %s signs already | There is nothing to do.',
    'signing-key-retiring': 'key %s has signed before, and another key followed it | Add a new one…',
  },

  /** It was changed since the one who requests this has seen it. */
  stale: {
    'changed-meanwhile': '%s was changed meanwhile | Look at it again, then decide again.',
  },

  /** It is done once its author confirms it, or chooses one of two ways. */
  unconfirmed: {
    'resource-server-removal-unconfirmed':
      'this would remove %s: it could no longer check tokens, and no token would be for it | Confirm it…',
    'address-shared':
      'another identity already has %s | Certificates with it would be refused for both. To allow that, confirm it…',
    'removal-unconfirmed': 'this would remove %s and end its grants, for good | Confirm it…',
    'confirmation-missing': 'this would end %s grants | Confirm it…',
    'rollback-open': 'something that had ended works again: %s | End it again, or leave it as it is…',
  },

  /** It will be possible later, without another act. */
  'not-now': {
    'rollback-grew': 'a node has added lost acts to the %s that were handled | Run the command again.',
    'clock-implausible':
      '%s: nothing was changed | Set the clock and keep it by NTP. If it is right, start the service, which records the time, and try again…',
    'keyring-busy':
      'another command is changing the keyring: it holds %s | Wait for it, then try again. If no such command runs, on any machine that shares this folder, remove that file.',
    'key-not-everywhere':
      'these nodes do not have the key yet: %s | Copy the keyring to those on other machines. Running nodes load and report it within seconds. For one that was killed, wait until it no longer counts…',
    'key-in-use':
      'live grants still use this key: %s | They move to the minting key when they refresh. Wait for that, or end them…',
    'key-tokens-alive':
      'tokens minted with this key may work until %s | Wait until then. If the key leaked, end them now…',
    'signing-key-too-recent':
      'resource servers may not have fetched this key yet; it can sign from %s | Wait until then. If the current key leaked, do it now; tokens may be refused until resource servers fetch the new key…',
  },

  /** The access token is no proof here. */
  unauthorized: {
    'token-for-others':
      'the access token is not for administration alone | Log in again with the scope tessera:read, tessera:operate or tessera:manage, and nothing else.',
    'token-bound-elsewhere': 'the access token is bound to a key | Present the certificate that it was issued for.',
  },

  /** The author is not allowed to do it. */
  forbidden: {
    'login-scope-missing': 'the scope of the login does not include %s | Log in with that scope…',
    'group-missing': 'whoever is logged in is not in the group %s | An operator adds them…',
    'permission-missing':
      'this needs the permission %s | Log in by certificate or passkey with that scope, as a member of the group that has it.',
  },

  /** What a reader refers to no longer exists. */
  gone: {
    'event-log-rolled-back':
      'the event log ended at %s: the store was put back to an older state | Check what it has lost, then follow it again; sequence numbers will repeat…',
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Words>>>>;

export type AdminRefusalClass = keyof typeof TABLE;
type Rows = (typeof TABLE)[AdminRefusalClass];
type ReasonsOf<T> = T extends Rows ? keyof T : never;
type ToActOf<T> = T extends Rows ? { [R in keyof T]: T[R] extends `${string}…` ? R : never }[keyof T] : never;

export type AdminRefusalReason = ReasonsOf<Rows>;
/** Refusals whose remedy is an act. */
export type ReasonToAct = ToActOf<Rows>;

/** Whether a text names a refusal of this release. */
export function isRefusal(text: string): text is AdminRefusalReason {
  return Object.values(TABLE).some((rows) => Object.hasOwn(rows, text));
}

/** `remedy`: a whole sentence, or an act. */
export function describeRefusal(reason: AdminRefusalReason, about: string) {
  const [kind, rows] = Object.entries(TABLE).find(([, each]) => reason in each) as [AdminRefusalClass, object];
  const [text = '', todo = ''] = (rows as Record<AdminRefusalReason, Words>)[reason].split(' | ');
  const what = text.replace(/%[sj]/, (mark) => (mark === '%j' ? JSON.stringify(about) : about));
  return { class: kind, what, remedy: todo.endsWith('…') ? { act: todo.slice(0, -1) } : todo };
}
