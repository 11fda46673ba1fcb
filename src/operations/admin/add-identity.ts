import { foldName } from '../../core/certificate.ts';
import { type Identity, type IdentityId, isLocal, localIdentityId } from '../../core/identity.ts';
import { accept } from '../../core/outcome.ts';
import { firstPassword } from '../../directory/local/passwords.ts';
import type { Where } from '../../store/table.ts';
import { byEmail, byUpn, byUserName, identities } from '../../store/tables/identities.ts';
import type { Secret } from '../../tokens/secret.ts';
import type { Random } from '../ports.ts';
import { type AdminOutcome, type AdminPorts, decline, type StorePort } from './admin.ts';
import { performPlan } from './perform.ts';
import { declinePassword } from './set-password.ts';

export interface IdentityDraft {
  readonly userName: string;
  readonly email?: string;
  readonly upn?: string;
  readonly groups?: readonly string[];
  readonly mayUseApi?: boolean;
  /** Absent for identities that authorize by certificate alone. */
  readonly password?: Secret;
  /** Two identities with one e-mail address or principal name: certificates that carry it are then refused for both. */
  readonly mayShare?: boolean;
}

const USER_NAME = /^[^\p{Cc}\p{Cf}\p{Z}\p{Cs}/:]{1,128}$/u;
const ADDRESS = /^[^\p{Cc}\p{Cf}\p{Z}\p{Cs}@]{1,128}@[^\p{Cc}\p{Cf}\p{Z}\p{Cs}@]{1,127}$/u;

/** A new identity of the local directory, with its password in the same commit. */
export async function addIdentity(
  draft: IdentityDraft,
  { store, by, random }: AdminPorts & { readonly random: Random },
): Promise<AdminOutcome<Identity>> {
  const objection = objectionTo(draft);
  if (objection) return objection;
  const next = identityOf(draft, localIdentityId(guid(random)));
  const { id } = next;
  const inserts = draft.password ? [await firstPassword(id, draft.password)] : [];
  const deeds = [{ did: 'added', userName: draft.userName }];
  const added = await performPlan(
    async () =>
      (await objectionOfOthers(draft, { store })) ??
      accept([{ kind: 'identity', key: id, revision: undefined, next, deeds, inserts } as const]),
    { store, by },
  );
  return added.ok ? accept(next) : added;
}

function identityOf({ userName, email, upn, groups = [], mayUseApi = true }: IdentityDraft, id: IdentityId): Identity {
  // Folded as a certificate's name is before it is looked up.
  const addresses = {
    ...(email !== undefined && { email: foldName('email-san', email) }),
    ...(upn !== undefined && { upn: foldName('upn-san', upn) }),
  };
  return { id, enabled: true, mayUseApi, groups: [...new Set(groups)], userName, ...addresses };
}

type DraftPart = Partial<IdentityDraft>;

export function objectionTo({ userName, email, upn, password, groups = [] }: DraftPart) {
  if (userName !== undefined && !USER_NAME.test(userName)) return decline('user-name-malformed', userName);
  const malformed = [email, upn].find((address) => address !== undefined && !ADDRESS.test(address));
  if (malformed !== undefined) return decline('address-malformed', malformed);
  if (groups.some((group) => !USER_NAME.test(group))) return decline('text-malformed', 'group');
  return password && declinePassword(password);
}

export async function objectionOfOthers(
  { userName, email, upn, mayShare = false }: DraftPart,
  { store }: StorePort,
  self?: IdentityId,
) {
  const others = async (where: Where) => (await store.find(identities, where)).filter(({ id }) => id !== self);
  if (userName !== undefined && (await others(byUserName(userName))).some(isLocal))
    return decline('user-name-taken', userName);
  if (mayShare) return undefined;
  const wanted = [
    { address: email && foldName('email-san', email), by: byEmail },
    { address: upn && foldName('upn-san', upn), by: byUpn },
  ];
  for (const { address, by } of wanted) {
    if (address && (await others(by(address))).length > 0) return decline('address-shared', address);
  }
  return undefined;
}

/** A random GUID (RFC 9562 version 4), in lower case. */
function guid(random: Random): string {
  const bytes = random(16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
