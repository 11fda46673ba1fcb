import type { Config } from '../../config/schema.ts';
import {
  canBoundHandshakes,
  TO_BOUND_HANDSHAKES,
  UNBOUNDED_HANDSHAKES,
} from '../../doors/server/handshake-messages.ts';
import {
  INTERMEDIATES_UNSEEN,
  requestsCertificates,
  seesIntermediates,
  TO_SEE_INTERMEDIATES,
} from '../../serve/sees-intermediates.ts';
import { type Finding, poor } from './finding.ts';

const THIS_NODE = { canBoundHandshakes, seesIntermediates };

/** What this Node cannot do for callers with certificates, in the words that the service logs at its start. */
export async function examineNode(config: Config, node = THIS_NODE): Promise<Finding[]> {
  if (!requestsCertificates(config)) return [];
  const findings = node.canBoundHandshakes() ? [] : [poor('Node', UNBOUNDED_HANDSHAKES, TO_BOUND_HANDSHAKES)];
  return (await node.seesIntermediates())
    ? findings
    : [...findings, poor('Node', INTERMEDIATES_UNSEEN, TO_SEE_INTERMEDIATES)];
}
