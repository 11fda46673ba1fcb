// After the store was put back: what had been ended or disabled and works again.
import { type GrantId, grantState, type RevocationReason } from '../../core/grant.ts';
import type { IdentityId } from '../../core/identity.ts';
import type { LostAct } from '../../core/store-history.ts';
import type { EpochSeconds } from '../../core/time.ts';
import { eventPages, rows } from '../../store/pages.ts';
import type { Store } from '../../store/store.ts';
import { grants } from '../../store/tables/grants.ts';
import { identities } from '../../store/tables/identities.ts';
import { integrations } from '../../store/tables/integrations.ts';
import { issuers } from '../../store/tables/issuers.ts';
import { revokeById } from '../grant/revoke-grant.ts';
import type { AdminPorts } from './admin.ts';
import { enableIdentity } from './enable-identity.ts';
import { enableIntegration } from './enable-integration.ts';
import { withdrawIssuer } from './withdraw-issuer.ts';

/** Something that had ended, and works again. */
export type CameBack = (
  | { readonly kind: 'grant'; readonly id: GrantId; readonly reason: RevocationReason; readonly clientId?: string }
  | { readonly kind: 'integration'; readonly id: string }
  | { readonly kind: 'identity'; readonly id: IdentityId }
  | { readonly kind: 'issuer'; readonly id: string }
) & { readonly at?: EpochSeconds };

type Kind = CameBack['kind'];

/** Acts that end something, and acts after which it may work again. Other acts are not listed here. */
const ENDS: Readonly<Record<string, readonly [kind: Kind, ended: boolean]>> = {
  'integration disabled': ['integration', true],
  'integration removed': ['integration', true],
  'integration enabled': ['integration', false],
  'identity disabled': ['identity', true],
  'identity removed': ['identity', true],
  'identity enabled': ['identity', false],
  'issuer withdrawn': ['issuer', true],
  'issuer approved': ['issuer', false],
};

/** From the acts that nodes remembered. The last act on something counts. */
export async function cameBackFromActs(
  lost: readonly LostAct[],
  ports: Pick<AdminPorts, 'store'>,
): Promise<readonly CameBack[]> {
  const last = new Map<string, CameBack | undefined>();
  for (const act of lost) {
    const [key, ended] = endedBy(act) ?? [];
    if (key !== undefined) last.set(key, ended);
  }
  return working(
    [...last.values()].filter((each) => each !== undefined),
    ports,
  );
}

/** From a copy of the store that is newer than the state it was put back to. */
export async function cameBackFromCopy(
  copy: Pick<Store, 'page'>,
  ports: Pick<AdminPorts, 'store'>,
): Promise<readonly CameBack[]> {
  const ended: CameBack[] = await disabledIn(copy);
  for await (const { id, revoked, clientId } of rows(copy, grants))
    if (revoked) ended.push({ kind: 'grant', id, clientId, ...revoked });
  return working(ended, ports);
}

/** Registrations that work again after a store was replaced by an older copy: disabled in it, or removed from it since then. */
export async function registrationsBack(
  replaced: Pick<Store, 'page' | 'events'>,
  ports: Pick<AdminPorts, 'store'>,
): Promise<readonly CameBack[]> {
  const [newest] = await ports.store.newestEvents({ count: 1 });
  const acts: LostAct[] = [];
  for await (const page of eventPages(replaced, STEP, { after: newest?.sequence ?? 0, acts: true }))
    acts.push(...page.filter(({ type }) => type !== 'revoked'));
  const back = [...(await working(await disabledIn(replaced), ports)), ...(await cameBackFromActs(acts, ports))];
  return [...new Map(back.map((each) => [`${each.kind} ${each.id}`, each])).values()];
}

const STEP = 1000;

async function disabledIn(copy: Pick<Store, 'page'>): Promise<CameBack[]> {
  const ended: CameBack[] = [];
  for await (const { clientId, enabled } of rows(copy, integrations))
    if (!enabled) ended.push({ kind: 'integration', id: clientId });
  for await (const { id, enabled } of rows(copy, identities)) if (!enabled) ended.push({ kind: 'identity', id });
  for await (const { label, enabled } of rows(copy, issuers)) if (!enabled) ended.push({ kind: 'issuer', id: label });
  return ended;
}

/** Ends it again, for the same reason as before. */
export async function endAgain(each: CameBack, ports: AdminPorts): Promise<void> {
  switch (each.kind) {
    case 'grant':
      return void (await revokeById(each.id, each.reason, ports));
    case 'integration':
      return void (await enableIntegration(each.id, false, ports));
    case 'identity':
      return void (await enableIdentity(each.id, false, ports));
    case 'issuer':
      return void (await withdrawIssuer(each.id, ports));
  }
}

function endedBy(act: LostAct): [key: string, ended: CameBack | undefined] | undefined {
  const { type, at, subjectId, clientId, identityId, detail = {} } = act;
  if (type === 'revoked') {
    const reason = String(detail['reason']) as RevocationReason;
    return [
      `grant ${subjectId}`,
      { kind: 'grant', id: subjectId as GrantId, reason, at, ...(clientId && { clientId }) },
    ];
  }
  const [kind, isEnded] = ENDS[String(detail['did'])] ?? [];
  const id = kind === 'issuer' ? detail['issuer'] : kind === 'identity' ? identityId : clientId;
  if (!kind || id === undefined) return undefined;
  return [`${kind} ${id}`, isEnded ? ({ kind, id, at } as CameBack) : undefined];
}

/** Those that work in the store as it is now. What the store does not know has not come back. */
async function working(ended: readonly CameBack[], { store }: Pick<AdminPorts, 'store'>): Promise<readonly CameBack[]> {
  const found: CameBack[] = [];
  for (const each of ended) if (await works(each, store)) found.push(each);
  return found;
}

async function works({ kind, id }: CameBack, store: Store): Promise<boolean> {
  switch (kind) {
    case 'grant': {
      const { found, now } = await store.load(grants, id);
      return found !== undefined && grantState(found.row, now) === 'live';
    }
    case 'integration':
      return (await store.load(integrations, id)).found?.row.enabled === true;
    case 'identity':
      return (await store.load(identities, id)).found?.row.enabled === true;
    case 'issuer':
      return (await store.load(issuers, id)).found?.row.enabled === true;
  }
}
