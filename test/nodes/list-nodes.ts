// Nodes that check certificates against lists: each with its own store on one database, as in a cluster.
import type { ApprovedIssuer } from '../../src/core/issuer.ts';
import { CertificateJudge } from '../../src/pki/judge/certificate-judge.ts';
import { storeOf } from '../../src/store/change.ts';
import { SharedLists } from '../../src/store/shared-lists.ts';
import type { Issued } from '../authority.ts';
import { anotherNode, type Node, type TestClock } from '../node.ts';
import { worded } from '../pki/approved.ts';
import type { TestDatabase } from '../store/conformance.ts';

export interface ListNode extends Omit<Node, 'judge'> {
  readonly judge: CertificateJudge;
  /** Why lists were rejected. */
  readonly refusals: readonly string[];
  /** The verdict, in words. */
  ask(caller: Issued): Promise<string>;
  /** The periodic work of a service. */
  follow(): Promise<void>;
  renew(): Promise<void>;
}

interface Differences {
  readonly exchange?: (node: Node) => SharedLists;
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

export async function listNode(
  database: TestDatabase,
  clock: TestClock,
  issuers: readonly ApprovedIssuer[],
  { exchange = (node) => new SharedLists(node), fetch = globalThis.fetch }: Differences = {},
): Promise<ListNode> {
  const node = await anotherNode(storeOf(await database.open()), { clock });
  const refusals: string[] = [];
  const judge = new CertificateJudge({
    fetch,
    now: clock.now,
    exchange: exchange(node),
    logRefused: (_, why) => void refusals.push(why),
  });
  return {
    ...node,
    judge,
    refusals,
    ask: async ({ chain }) => worded(await judge.judge(chain, issuers)),
    follow: () => judge.revocation.followLists(issuers),
    renew: () => judge.revocation.renewLists(),
  };
}
