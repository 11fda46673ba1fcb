// Ends all that an integration, a person or everybody has: an ending goes through here, so that none forgets what is still pending.
import type { CertificateMark } from '../../core/certificate.ts';
import type { Grant, RevocationReason } from '../../core/grant.ts';
import type { Hex } from '../../core/hex.ts';
import type { IdentityId } from '../../core/identity.ts';
import type { ApprovedIssuer } from '../../core/issuer.ts';
import { decideEndCode, type MeantCodes } from '../../core/rules/device.ts';
import { changeEvery, pages } from '../../store/pages.ts';
import type { StorePort } from '../../store/store.ts';
import type { Where } from '../../store/table.ts';
import { devices } from '../../store/tables/devices.ts';
import { grants, grantsOf } from '../../store/tables/grants.ts';
import { type RevokePorts, revokeById } from './revoke-grant.ts';

export type Whose = { readonly clientId: string } | { readonly holder: IdentityId } | 'everybody';

/** Only what came by authorization code, or was made until then. */
type Only = Pick<MeantCodes, 'by' | 'until'>;

/** Codes first: a code that is redeemed meanwhile is then one of the grants. Returns how many of each ended. */
export async function endAll(whose: Whose, reason: RevocationReason, ports: RevokePorts, { by, until }: Only = {}) {
  const codes = await endCodes({ ...(whose !== 'everybody' && whose), by, until }, ports);
  const isMeant = ({ origin, createdAt }: Grant) =>
    (by === undefined || origin.kind === by) && (until === undefined || createdAt <= until);
  return { codes, grants: await endGrantsOf(whereOf(whose), reason, ports, isMeant) };
}

function whereOf(whose: Whose): Where | undefined {
  if (whose === 'everybody') return undefined;
  return 'holder' in whose ? grantsOf.holder(whose.holder) : grantsOf.integration(whose.clientId);
}

/** Ends codes that could still be redeemed; returns how many. */
export function endCodes(meant: MeantCodes, { store }: StorePort): Promise<number> {
  return changeEvery(store, devices, (device, now) => decideEndCode(device, meant, now));
}

const STEP = 200;

/** In steps, so that commits of a running service get in between. */
async function endGrantsOf(
  where: Where | undefined,
  reason: RevocationReason,
  ports: RevokePorts,
  isMeant: (grant: Grant) => boolean = () => true,
): Promise<number> {
  let ended = 0;
  for await (const page of pages(ports.store, grants, { ...(where && { where }), limit: STEP })) {
    const unended = page.filter((grant) => !grant.revoked && isMeant(grant));
    const results = await Promise.all(unended.map(({ id }) => revokeById(id, reason, ports)));
    ended += results.filter(Boolean).length;
  }
  return ended;
}

/** No code is made by certificate. */
export function revokeByCertificate(certificate: Hex, ports: StorePort): Promise<number> {
  return endGrantsOf(grantsOf.certificate(certificate), 'certificate-revoked', ports);
}

/** The same for a revoked certificate that was presented, if its issuer's settings say so. */
export async function endRevoked(
  { revocation }: ApprovedIssuer,
  { certificate }: CertificateMark,
  ports: StorePort,
): Promise<number> {
  return revocation.endGrants ? revokeByCertificate(certificate, ports) : 0;
}
