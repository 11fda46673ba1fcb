// What an act would do to living grants, counted before it is done.
import { createHash } from 'node:crypto';
import { type Grant, grantState } from '../../core/grant.ts';
import { firstHalf } from '../../core/hex.ts';
import type { Identity } from '../../core/identity.ts';
import type { ClientId, Integration } from '../../core/integration.ts';
import { accept } from '../../core/outcome.ts';
import { whyNotAllowed } from '../../core/rules/identity.ts';
import { isWithin, parseScope } from '../../core/scope.ts';
import { readCertificate } from '../../pki/x509/certificate.ts';
import { completed } from '../../schema.ts';
import { pages } from '../../store/pages.ts';
import type { Store } from '../../store/store.ts';
import type { Where } from '../../store/table.ts';
import { grants, grantsOf } from '../../store/tables/grants.ts';
import { identities } from '../../store/tables/identities.ts';
import { integrations } from '../../store/tables/integrations.ts';
import { issuers } from '../../store/tables/issuers.ts';
import type { ActPorts } from './acts/act.ts';
import { asOwner } from './acts/owned-act.ts';
import { kindOf } from './acts/work/kinds.ts';
import type { Acted } from './admin.ts';
import { findToGive } from './find-identity.ts';
import { IdentityObject, type ObjectChange, type Section, type WrittenIdentity } from './objects.ts';
import { changedBetween } from './perform.ts';

export interface Touched {
  readonly grants: number;
  /** The identities that hold them, at most a few by name. */
  readonly holders: number;
  readonly names: readonly string[];
  /** False: there may be more. */
  readonly isComplete: boolean;
}

/** Grants that are looked at, and that are counted: an operator waits for the answer. */
const MOST_READ = 10_000;
const MOST_COUNTED = 1000;
const STEP = 250;
const MOST_NAMED = 5;

type IsTouched = (grant: Grant) => boolean | Promise<boolean>;

async function countTouched(store: Store, where: Where | undefined, isTouched: IsTouched): Promise<Touched> {
  const now = await store.now();
  const holders = new Set<string>();
  let [read, touched, isComplete] = [0, 0, true];
  for await (const page of pages(store, grants, { ...(where && { where }), isDescending: true, limit: STEP })) {
    isComplete = read < MOST_READ && touched < MOST_COUNTED;
    if (!isComplete) break;
    read += page.length;
    for (const grant of page) {
      if (grantState(grant, now) !== 'live' || !(await isTouched(grant))) continue;
      touched++;
      holders.add(grant.identityId);
    }
  }
  const shown = [...holders].slice(0, MOST_NAMED);
  const loaded = await Promise.all(shown.map((id) => store.load(identities, id)));
  const names = loaded.map(({ found }, index) => found?.row.userName ?? shown[index] ?? '');
  return { grants: touched, holders: holders.size, names, isComplete };
}

/** The living grants of a thing: those that would be refused, or would end, without it. */
export async function grantsOfThing(kind: string, id: string, store: Store): Promise<Touched | undefined> {
  switch (kind) {
    case 'integration':
      return countTouched(store, grantsOf.integration(id), () => true);
    case 'identity':
      return countTouched(store, grantsOf.holder(id), () => true);
    case 'token-issuer':
      return countTouched(store, undefined, ({ origin }) =>
        origin.kind === 'assertion' ? origin.assertion.tokenIssuer === id : false,
      );
    case 'issuer':
      return ofIssuer(id, store);
    default:
      return undefined;
  }
}

async function ofIssuer(label: string, store: Store): Promise<Touched | undefined> {
  const { found } = await store.load(issuers, label);
  const certificate = found && readCertificate(found.row.certificate);
  if (!certificate?.ok) return undefined;
  const key = firstHalf(createHash('sha256').update(certificate.value.publicKey.spki).digest('hex'));
  return countTouched(store, undefined, ({ origin }) =>
    origin.kind === 'certificate' ? origin.certificate.issuerKey === key : false,
  );
}

/** The living grants that a changed integration refuses, or gives less than they have. */
async function grantsOfChange(next: Integration, store: Store): Promise<Touched> {
  const before = (await store.load(integrations, next.clientId)).found?.row;
  const isAllowed = new Map<string, boolean>();
  const loses = (holder: Identity | undefined): boolean =>
    whyNotAllowed(holder, next) !== undefined && !(before && whyNotAllowed(holder, before));
  return countTouched(store, grantsOf.integration(next.clientId), async ({ scope, identityId }) => {
    const granted = parseScope(scope);
    if (!next.enabled || (granted && !isWithin(granted, next.scope))) return true;
    const known = isAllowed.get(identityId) ?? loses((await store.load(identities, identityId)).found?.row);
    isAllowed.set(identityId, known);
    return known;
  });
}

// What making or replacing a thing would do, before it is done.

export interface Preview {
  readonly fields: ObjectChange['fields'];
  /** What would be shown of it besides what was entered, such as the subject of a certificate. */
  readonly facts?: Readonly<Record<string, unknown>>;
  /** What it does to living grants, if it can do something to them. */
  readonly touched?: Touched;
}

/** `owned`: of an owner, who sees no more than may be done. */
export async function previewPut(
  section: Section,
  id: string,
  body: object,
  ports: ActPorts,
  owned?: readonly ClientId[],
): Acted<Preview> {
  const allowed = owned && (await asOwner('integration-put', { id, body }, owned, ports));
  if (allowed?.ok === false) return allowed;
  if (section === 'identities') return previewIdentity(id, body as WrittenIdentity, ports);
  const kind = await kindOf(section);
  const plan = await kind.planPut({ id, body }, ports);
  if (!plan.ok) return plan;
  const change = plan.value.find((each) => each.id === id);
  if (!change) return accept({ fields: {} });
  const preview = { fields: change.fields, facts: { ...change.shown } };
  if (change.kind !== 'integration') return accept(preview);
  return accept({ ...preview, touched: await grantsOfChange(change.next, ports.store) });
}

/** A file describes their groups only; here, everything but the password. */
async function previewIdentity(name: string, given: WrittenIdentity, ports: ActPorts): Acted<Preview> {
  const { password: _, ...body } = given;
  const known = await findToGive(name, ports);
  const before = known.ok ? completed(IdentityObject, known.value) : {};
  return accept({ fields: changedBetween(before, completed(IdentityObject, body)).changed });
}
