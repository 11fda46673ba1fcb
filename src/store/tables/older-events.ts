// Acts as 0.1 and 0.2 wrote them: a sentence in `did`, the author as a text in `by`, and the facts beside them.
import { type Act, type Author, KINDS, type Kind } from '../../core/act.ts';

type Detail = Readonly<Record<string, unknown>>;

/** The act that a sentence stands for, and the facts that the detail has under the same names. */
const SENTENCES: Readonly<Record<string, readonly [kind: Kind, did: string, ...facts: string[]]>> = {
  'identity added': ['identity', 'added', 'userName'],
  'identity derived': ['identity', 'derived', 'source'],
  'identity changed': ['identity', 'changed'],
  'password set': ['identity', 'password-set'],
  'identity enabled': ['identity', 'enabled'],
  'identity disabled': ['identity', 'disabled'],
  'identity removed': ['identity', 'removed', 'userName'],
  'integration registered': ['integration', 'registered', 'scope'],
  'integration changed': ['integration', 'changed', 'accessChanged'],
  'integration enabled': ['integration', 'enabled'],
  'integration disabled': ['integration', 'disabled'],
  'integration removed': ['integration', 'removed'],
  'issuer approved': ['issuer', 'approved', 'fingerprint'],
  'issuer changed': ['issuer', 'changed'],
  'issuer withdrawn': ['issuer', 'withdrawn'],
  'token issuer added': ['token-issuer', 'added', 'issuer', 'rules'],
  'token issuer changed': ['token-issuer', 'changed'],
  'token issuer removed': ['token-issuer', 'removed'],
  'resource server registered': ['resource-server', 'registered', 'audience', 'resources'],
  'resource server changed': ['resource-server', 'changed'],
  'resource server secret made': ['resource-server', 'secret-made'],
  // Which secrets ended was not written.
  'resource server secrets replaced': ['resource-server', 'secret-made'],
  'old resource server secret dropped': ['resource-server', 'changed'],
  'resource server removed': ['resource-server', 'removed'],
  'signing key added': ['signing-key', 'added', 'state'],
  'signing key signs': ['signing-key', 'signs'],
  'signing key removed': ['signing-key', 'removed'],
  'key added': ['key', 'added'],
  'key minting': ['key', 'minting', 'before'],
  'key retired': ['key', 'retired'],
  'rollback accepted': ['store', 'rollback-accepted', 'epoch', 'seen', 'found'],
  'clock accepted': ['store', 'clock-accepted'],
  'store taken back': ['store', 'taken-back'],
};

/** Where the id of the thing is: a column of the event, or a member of its detail. */
const ID_OF: Readonly<Record<Kind, string>> = {
  identity: 'identityId',
  passkey: 'identityId',
  integration: 'clientId',
  issuer: 'issuer',
  'token-issuer': 'tokenIssuer',
  'resource-server': 'resourceServer',
  'signing-key': 'key',
  key: 'key',
  directory: 'id',
  store: '',
  unknown: 'id',
};

/** The act and its author, of this release or an older one. What a later release wrote is kept as words. */
export function readAct(detail: Detail, columns: object): Act & { readonly by: Author } {
  if (isOurs(detail)) return detail;
  const words = text(detail['did']);
  const [kind, did, ...names] = SENTENCES[words] ?? (['unknown', 'done'] as const);
  const known: Detail = { ...detail, ...columns };
  const facts = names.flatMap((name) => (known[name] === undefined ? [] : [[name, known[name]]]));
  return {
    ...{ kind, id: text(known[ID_OF[kind]]), did, ...Object.fromEntries(facts) },
    ...(did === 'changed' && { changed: fieldsOf(detail) }),
    ...(kind === 'unknown' && { words }),
    by: readAuthor(detail['by']),
  } as Act & { readonly by: Author };
}

function isOurs(detail: object): detail is Act & { readonly by: Author } {
  const { kind, did } = detail as Detail;
  return typeof kind === 'string' && Object.hasOwn(KINDS, kind) && Object.hasOwn(KINDS[kind as Kind], text(did));
}

/** The names of the fields, without their values. */
function fieldsOf({ changed }: Detail): object {
  const names = text(changed).split(', ').filter(Boolean);
  return Object.fromEntries(names.map((name) => [name, {}]));
}

const AUTHORS: Readonly<Record<string, Author>> = {
  service: { as: 'service', why: 'start' },
  quickstart: { as: 'service', why: 'quickstart' },
  'tessera init': { as: 'command' },
};

/** Events of 0.1 and 0.2 have a text, or nothing where the service derived an identity. */
export function readAuthor(by: unknown): Author {
  if (typeof by === 'object' && by !== null) return by as Author;
  if (by === undefined) return { as: 'service', why: 'first-use' };
  return AUTHORS[text(by)] ?? { as: 'command', user: text(by).replace(/^command /, '') };
}

function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
