import type { Config } from '../../config/schema.ts';
import { asksForCertificates } from '../../config/served-doors.ts';
import {
  INTERMEDIATES_UNSEEN,
  THIS_NODE,
  TO_INSPECT,
  TO_SEE_INTERMEDIATES,
  UNINSPECTED,
} from '../../serve/this-node.ts';
import { type Finding, poor } from './finding.ts';

/** What this Node cannot do for callers with certificates, in the words that the service logs at its start. */
export async function examineNode({ listeners }: Config, node = THIS_NODE): Promise<Finding[]> {
  if (!listeners.some(asksForCertificates)) return [];
  const isSeen = await node.seesIntermediates();
  return [
    ...((await node.canInspect()) ? [] : [poor('Node', UNINSPECTED, TO_INSPECT)]),
    ...(isSeen ? [] : [poor('Node', INTERMEDIATES_UNSEEN, TO_SEE_INTERMEDIATES)]),
  ];
}
