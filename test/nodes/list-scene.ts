// Three nodes, one authority, and the server of its revocation list.
import type { TestContext } from 'node:test';
import type { ApprovedIssuer } from '../../src/core/issuer.ts';
import { revocationLists } from '../../src/store/tables/revocation-lists.ts';
import { type Issued, makeAuthority } from '../authority.ts';
import { eventually } from '../eventually.ts';
import { type ListServer, listServer } from '../list-server.ts';
import { TestClock } from '../node.ts';
import { approve, CRL_REQUIRED, NOW } from '../pki/approved.ts';
import type { TestDatabase } from '../store/conformance.ts';
import { type ListNode, listNode } from './list-nodes.ts';

const HOUR = 3600;
export const DAY = 24 * HOUR;
export const ACCEPTED = 'accepted caller';
export const REVOKED = 'certificate-revoked: crl-revoked';
export const UNKNOWN = 'certificate-revocation-unknown: crl-unknown';
export const root = makeAuthority({ name: 'Root' });

/** The current list: valid for ten hours, due for renewal after eight. */
export function listAt(hours: number, revoked: readonly Issued[] = [], number = hours + 1): Uint8Array {
  const serials = revoked.map(({ serial }) => serial);
  return root.crl({ thisUpdate: isoAt(hours), nextUpdate: isoAt(hours + 10), number, revoked: serials });
}

export function isoAt(hours: number): string {
  return new Date((NOW + hours * HOUR) * 1000).toISOString().replace('.000Z', 'Z');
}

export interface Scene {
  readonly database: TestDatabase;
  readonly server: ListServer;
  readonly clock: TestClock;
  readonly caller: Issued;
  readonly issuers: readonly ApprovedIssuer[];
  readonly nodes: readonly [ListNode, ListNode, ListNode];
  /** A new or restarted node, which has only the store. */
  readonly start: () => Promise<ListNode>;
  /** The clock of all nodes. */
  readonly at: (hours: number) => void;
}

export type Open = (clock: TestClock) => Promise<TestDatabase>;

export async function scene(t: TestContext, open: Open): Promise<Scene> {
  const clock = new TestClock(NOW);
  const [database, server] = [await open(clock), await listServer(listAt(0))];
  t.after(() => {
    server.close();
    return database.remove();
  });
  const issuers = [approve(root, { revocation: CRL_REQUIRED })];
  const start = async () => {
    const node = await listNode(database, clock, issuers);
    await node.follow();
    return node;
  };
  return {
    database,
    server,
    clock,
    issuers,
    caller: root.issue({ extensions: [server.point] }),
    nodes: [await start(), await start(), await start()],
    start,
    at: (hours) => clock.set(NOW + hours * HOUR),
  };
}

/** Runs the work on every node in parallel. */
export function all<T>(nodes: readonly ListNode[], what: (node: ListNode) => Promise<T>): Promise<T[]> {
  return Promise.all(nodes.map(what));
}

/** Waits until a background renewal is done with this many requests, and every node has it. */
export async function renewed(nodes: readonly ListNode[], server: ListServer, requests: number): Promise<void> {
  await all(nodes, (node) => node.renew());
  const [{ store, clock }] = nodes as [ListNode];
  await eventually('every list is renewed', async () => {
    const { found } = await store.load(revocationLists, server.url);
    return server.requests >= requests && found?.row.checkedAt === clock.now();
  });
  await all(nodes, (node) => node.follow());
}
