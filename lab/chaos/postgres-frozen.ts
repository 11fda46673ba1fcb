// The server freezes with statements in flight, and wakes after their callers got 503. Those answers
// must stay true: nothing commits after its answer, and no honest retry counts as reuse.
import { setTimeout as pause } from 'node:timers/promises';
import type { TokenPair } from '../../src/operations/grant/token-pair.ts';
import { OutcomeUnknown } from '../../src/store/store.ts';
import { answer, refresh } from '../../test/node.ts';
import type { Seeded } from '../../test/seeded.ts';
import { type DrillNode, drillNode, issueMany } from './drill-nodes.ts';

const CALLERS = 40;
const STATEMENT_MS = 500;
/** Refreshes start within this time around the freeze. */
const SPREAD_MS = 12;
/** By then a woken server has run every queued statement. */
const AWAKE_MS = 250;
/** Short, so that commits long after their answer show. A retry after it is reuse, and says nothing. */
const RETRY_SECONDS = 1;

interface Result {
  readonly pair: TokenPair;
  readonly is: 'refreshed' | 'refused' | 'unavailable' | 'unknown';
  readonly answeredAt: number;
}

/** Returns how many answers became false after the server woke. */
export async function freezeServer(freezes: number, seeded: Seeded): Promise<number> {
  const query = `statement_timeout=${STATEMENT_MS}&connect_timeout=1`;
  const drill = await drillNode(['track_commit_timestamp = on'], query, RETRY_SECONDS);
  const totals = { unavailable: 0, unknown: 0, late: 0, reuse: 0, slow: 0, slowest: 0 };
  for (let n = 0; n < freezes; n++) await freeze(drill, seeded, totals);
  await drill.remove();
  const { unavailable, unknown, late, reuse, slow, slowest } = totals;
  console.log(`${freezes} freezes: ${unavailable} answers "nothing was changed", ${unknown} "not known"`);
  console.log(`slowest answer ${slowest.toFixed(0)} ms, at a statement_timeout of ${STATEMENT_MS} ms`);
  console.log(
    `${late} commits after their answer, ${reuse} honest retries taken for reuse, and ${slow} that came too late to tell`,
  );
  return late + reuse;
}

async function freeze({ server, node }: DrillNode, seeded: Seeded, totals: Record<string, number>): Promise<void> {
  const pairs = await issueMany(node, CALLERS);
  const began = performance.now();
  const refreshing = pairs.map(async (pair): Promise<Result> => {
    await pause(seeded.next() * SPREAD_MS);
    const is = await refresh(node, pair).then(
      ({ ok }) => (ok ? 'refreshed' : 'refused'),
      (fault: unknown) => (fault instanceof OutcomeUnknown ? 'unknown' : 'unavailable'),
    );
    return { pair, is, answeredAt: Date.now() };
  });
  await pause(SPREAD_MS / 2);
  server.signalAll('SIGSTOP');
  const results = await Promise.all(refreshing);
  totals['slowest'] = Math.max(totals['slowest'] ?? 0, performance.now() - began);
  server.signalAll('SIGCONT');
  const awake = performance.now();
  await pause(AWAKE_MS);
  const count = (what: string) => {
    totals[what] = (totals[what] ?? 0) + 1;
  };
  const open = results.filter(({ is }) => is === 'unavailable' || is === 'unknown');
  const commits = await commitsOf(open, server);
  const retried = await Promise.all(open.map(({ pair }) => answer(refresh(node, pair))));
  const isInTime = performance.now() - awake < RETRY_SECONDS * 1000;
  for (const [index, result] of open.entries()) {
    count(result.is);
    if (wasCommittedLate(result, commits)) count('late');
    if (retried[index] !== 'accepted') count(isInTime ? 'reuse' : 'slow');
  }
}

/** By grant, when it was last changed, if it was refreshed. */
async function commitsOf(results: readonly Result[], server: DrillNode['server']): Promise<Map<string, number>> {
  const ids = results.map(({ pair }) => `decode('${pair.grantId}', 'hex')`);
  if (ids.length === 0) return new Map();
  const rows = await server.query(
    `SELECT encode(id, 'hex') AS id, extract(epoch FROM pg_xact_commit_timestamp(xmin))::float8 * 1000 AS at
      FROM grants WHERE generation > 0 AND id IN (${ids.join()})`,
    'tessera',
  );
  return new Map(rows.map(({ id, at }) => [String(id), Number(at)]));
}

/** After its answer; or at all, if the answer was that nothing changed. */
function wasCommittedLate({ pair, is, answeredAt }: Result, commits: ReadonlyMap<string, number>): boolean {
  const at = commits.get(pair.grantId);
  return at !== undefined && (is === 'unavailable' || at > answeredAt);
}
