import type { CertificateMark } from '../core/certificate.ts';
import type { Hex } from '../core/hex.ts';
import type { ApprovedIssuer } from '../core/issuer.ts';
import { grantsOf } from '../store/tables/grants.ts';
import type { Ports } from './ports.ts';
import { revokeAll } from './revoke-grant.ts';

/** Ends what was issued through a certificate that was found revoked, where its issuer's settings say so. */
export async function endRevoked(
  issuer: ApprovedIssuer,
  { certificate }: CertificateMark,
  ports: Pick<Ports, 'store'>,
): Promise<number> {
  return issuer.revocation.endGrants ? endGrantsOf(certificate, ports) : 0;
}

const STEP = 100;

/** Ends the grants of every certificate that a list revokes, in steps with a pause between them; says how many. */
export async function endAllRevoked(
  marks: Iterable<Hex>,
  ports: Pick<Ports, 'store'>,
  pause: () => Promise<unknown>,
): Promise<number> {
  let ended = 0;
  let looked = 0;
  for (const mark of marks) {
    ended += await endGrantsOf(mark, ports);
    if (++looked % STEP === 0) await pause();
  }
  return ended;
}

function endGrantsOf(mark: Hex, ports: Pick<Ports, 'store'>): Promise<number> {
  return revokeAll(grantsOf.certificate(mark), 'certificate-revoked', ports);
}
