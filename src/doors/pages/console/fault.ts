// Why a sent form was refused, and which of its fields is at fault.
import type { AdminRefusal } from '../../../operations/admin/admin.ts';
import type { AdminRefusalReason } from '../../../operations/admin/refusals.ts';
import { flawOf, type Schema } from '../../../schema.ts';
import type { Html } from '../parts/html.ts';
import { faultBox } from '../parts/layout.ts';
import { sentencesOf } from './frame.ts';

export interface Fault {
  readonly title: string;
  readonly todo?: string;
  /** If it is one field. */
  readonly field?: string | undefined;
}

const OF_NAMES = ['identity-unknown', 'identity-ambiguous', 'identity-elsewhere'] as const;

/** What each field can be refused for. Where a refusal stands at several, the entered text decides, or the order. */
const REFUSED_FOR: readonly (readonly [field: string, ...reasons: AdminRefusalReason[]])[] = [
  ['issuer', 'token-issuer-malformed', 'token-issuer-ours', 'token-issuer-iss-differs', 'token-issuer-registered'],
  ['issuer', 'client-id-of-token-issuer'],
  ['userName', 'user-name-malformed', 'user-name-taken'],
  ['object_name', 'client-id-malformed', 'label-malformed', 'resource-server-id-malformed', 'user-name-malformed'],
  [
    'object_name',
    'integration-exists',
    'issuer-exists',
    'token-issuer-exists',
    'resource-server-exists',
    'user-name-taken',
  ],
  [
    'object_name',
    'label-taken',
    'resource-server-id-taken',
    'client-id-of-resource-server',
    'client-id-of-token-issuer',
  ],
  ['scope', 'scope-missing', 'scope-malformed'],
  ['flows.code.redirectUris', 'redirect-uri-malformed'],
  ['flows.secret', 'secret-flow-off'],
  ['accessTokenFormat', 'signing-key-missing', 'key-not-everywhere'],
  ['secretAddresses', 'address-range-malformed'],
  ['resourceServer', 'resource-server-unknown'],
  ['exchange', 'exchange-malformed'],
  ['publicKeys.set', 'public-key-unusable', 'public-keys-too-many'],
  ['publicKeys.url', 'key-address-malformed'],
  ['pem', 'certificate-unreadable', 'certificate-not-authority', 'certificate-expired', 'certificate-refused'],
  ['pem', 'issuer-key-approved', 'issuer-key-differs'],
  ['revocation.crlFiles', 'list-file-elsewhere', 'crl-file-unusable'],
  ['revocation.allowedAddresses', 'address-range-malformed'],
  ['keys.set', 'key-set-unusable'],
  ['keys.url', 'key-address-malformed'],
  ['allowedAddresses', 'address-range-malformed'],
  ['authorities', 'authorities-unreadable'],
  ['audience', 'audience-malformed', 'audience-taken', 'assertion-audience-malformed'],
  ['maxAssertionLifetime', 'assertion-lifetime-malformed'],
  ['rules', 'rule-malformed'],
  ['resources', 'resources-missing', 'resource-malformed'],
  ['email', 'address-malformed', 'address-shared'],
  ['upn', 'address-malformed', 'address-shared'],
  ['password', 'password-too-short'],
  ['endsIn', 'secret-lifetime-malformed'],
  ['file', 'public-key-unusable', 'public-keys-too-many', 'key-address-malformed'],
  ['key', 'public-key-unknown'],
  ['passkey', 'passkey-unknown'],
  ['identity', ...OF_NAMES],
  ['by', ...OF_NAMES],
  ['access.identities', ...OF_NAMES],
  ['from', 'object-malformed'],
  ['to', 'object-malformed'],
  ['integration', 'integration-unknown'],
  ['integrations', 'import-malformed', 'integration-unknown'],
  ['certificate', 'certificate-unknown'],
];

/** Of these, the refusal says which member it is about. */
const NAMED: readonly AdminRefusalReason[] = ['text-malformed', 'lifetime-malformed', 'lifetime-too-long'];

type Sent = Readonly<Record<string, string | number>>;

/** `names`: the fields of the form, which were sent as `form`. */
export function faultOf(refusal: AdminRefusal, names: readonly string[], form: Sent = {}): Fault {
  const { reason, about } = refusal;
  const isAbout = (name: string) => {
    const text = `${form[name] ?? ''}`;
    return text !== '' && (text.includes(about) || about.startsWith(text));
  };
  const known = REFUSED_FOR.filter(([field, ...reasons]) => names.includes(field) && reasons.includes(reason));
  const fields = known.map(([field]) => field);
  const field = NAMED.includes(reason)
    ? names.find((name) => [about, `${about}s`].includes(name.split('.').at(-1) ?? ''))
    : (fields.find(isAbout) ?? fields[0]);
  return { ...sentencesOf(refusal), field };
}

/** By the schema. The path of the member names its field, or the first of several. */
export function faultIn(schema: Schema, value: unknown, names: readonly string[]): Fault | undefined {
  const title = flawOf(schema, value);
  if (title === undefined) return undefined;
  const [path = ''] = title.split(/[\s[]/);
  return { title, field: names.find((name) => name === path) ?? names.find((name) => name.startsWith(`${path}.`)) };
}

export function faultBoxOf({ title, todo, field }: Fault): Html {
  return faultBox(title, todo, field);
}
