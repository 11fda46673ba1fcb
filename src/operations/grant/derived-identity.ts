// The rows of identities that are made from what a certificate or an assertion says, that are integrations, or that a directory elsewhere has.
import type { Author } from '../../core/act.ts';
import { acted } from '../../core/event.ts';
import { firstHalf } from '../../core/hex.ts';
import { type Identity, type IdentityId, INTEGRATION_LABEL } from '../../core/identity.ts';
import type { Integration } from '../../core/integration.ts';
import { identities } from '../../store/tables/identities.ts';
import { sha256 } from '../../tokens/sha256.ts';
import type { Ports } from '../ports.ts';
import { type KeepSeen, storeSeen } from './seen-identity.ts';

/** The existing row, if there is one. `source`: what the identity was made from. */
type FindDerived = (derived: Identity, source: string, ports: Pick<Ports, 'store'>) => Promise<Identity>;

/** The row is created on first use, so that an operator can disable the identity. */
export const storeDerived: FindDerived = (derived, source, { store }) =>
  store.change(identities, derived.id, (found, now) => {
    if (found) return { outcome: found.row };
    const act = { kind: 'identity', id: derived.id, did: 'derived', source } as const;
    const by: Author = { as: 'service', why: 'first-use' };
    return { outcome: derived, next: derived, events: [acted(act, { at: now, by })] };
  });

/** `LABEL:` + hex of the first 16 bytes of a SHA-256 over what it is made from. */
export function derivedIdentity(label: string, from: string, name: string): Identity {
  const id = `${label}:${firstHalf(sha256(from))}` as IdentityId;
  return { id, enabled: true, mayUseApi: true, groups: [], userName: `${label}/${name}` };
}

export function integrationIdentity({ clientId }: Pick<Integration, 'clientId'>): Identity {
  return derivedIdentity(INTEGRATION_LABEL, `${INTEGRATION_LABEL}\0${clientId}`, clientId);
}

const loadDerived: FindDerived = async (derived, _, { store }) => {
  const { found } = await store.load(identities, derived.id);
  return found?.row ?? derived;
};

export interface IdentityRows {
  readonly derived: FindDerived;
  readonly seen: KeepSeen;
}

export const STORED: IdentityRows = { derived: storeDerived, seen: storeSeen };
/** For dry runs: writes nothing. */
export const LOADED: IdentityRows = { derived: loadDerived, seen: async (seen) => seen };
