import type { CertificateMark } from '../../core/certificate.ts';
import type { Hex } from '../../core/hex.ts';
import type { ApprovedIssuer } from '../../core/issuer.ts';
import { grantsOf } from '../../store/tables/grants.ts';
import { revokeAll } from '../grant/revoke-grant.ts';
import type { Ports } from '../ports.ts';

/** Ends the grants of a revoked certificate, if its issuer's settings say so. */
export async function endRevoked(
  issuer: ApprovedIssuer,
  { certificate }: CertificateMark,
  ports: Pick<Ports, 'store'>,
): Promise<number> {
  return issuer.revocation.endGrants ? endGrantsOf(certificate, ports) : 0;
}

/** The longest slice of work, in milliseconds: requests wait for it. */
const SLICE_MS = 1;

/** Ends the grants of every certificate that a list revokes, in slices with a pause between them. Returns how many. */
export async function endAllRevoked(
  marks: Iterable<Hex>,
  ports: Pick<Ports, 'store' | 'clock'>,
  pause: () => Promise<unknown>,
): Promise<number> {
  let ended = 0;
  let began = ports.clock.milliseconds();
  for (const mark of marks) {
    ended += await endGrantsOf(mark, ports);
    if (ports.clock.milliseconds() - began < SLICE_MS) continue;
    await pause();
    began = ports.clock.milliseconds();
  }
  return ended;
}

function endGrantsOf(mark: Hex, ports: Pick<Ports, 'store'>): Promise<number> {
  return revokeAll(grantsOf.certificate(mark), 'certificate-revoked', ports);
}
