import type { Hex } from '../../core/hex.ts';
import { revokeByCertificate } from '../grant/revoke-grant.ts';
import type { Ports } from '../ports.ts';

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
    ended += await revokeByCertificate(mark, ports);
    if (ports.clock.milliseconds() - began < SLICE_MS) continue;
    await pause();
    began = ports.clock.milliseconds();
  }
  return ended;
}
