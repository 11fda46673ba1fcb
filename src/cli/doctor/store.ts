// Checks that the store opens, that it reports no problem, and that its clock agrees with ours.
import type { Config } from '../../config/schema.ts';
import type { EpochSeconds } from '../../core/time.ts';
import { storeAt } from '../../open-store.ts';
import { movedAwayAt, movedText, USE_THE_OTHER } from '../../store/move.ts';
import type { Store, StoreCheckName } from '../../store/store.ts';
import { systemClock } from '../../system.ts';
import { todoOf } from '../terminal/failure.ts';
import { FREE_SPACE } from './files.ts';
import { bad, type Finding, good, poor } from './finding.ts';

/** In seconds. Synchronized clocks agree within this. */
const TOLERANCE = 30;

const REMEDIES: Readonly<Record<StoreCheckName, string>> = {
  store: 'See what its own log says.',
  writes: 'Look at the disk of the store, and at the log of the service.',
  files: 'Stop the service, and restore the store from its backup.',
  space: FREE_SPACE,
  schema: 'Run as the role that owns the schema: tessera migrate-schema --as postgres://OWNER@…',
  privileges: 'Give the role the privileges of "Roles" in docs/postgresql.md.',
};

export async function openForExamination(config: Config): Promise<Store | Finding> {
  const { open, remedy } = storeAt(config);
  return open('command').catch((error: Error) => bad('store', error.message, todoOf(error) ?? remedy));
}

export async function examineStore(config: Config, store: Store): Promise<Finding[]> {
  const { now, checks } = await store.examine();
  const problems = checks.flatMap(({ name, problem }) =>
    problem ? [bad(name, [problem.reason, problem.detail].filter(Boolean).join(': '), REMEDIES[name])] : [],
  );
  const damage = problems.length === 0 ? await storeAt(config).whyDamaged?.() : undefined;
  if (damage !== undefined) problems.push(bad('store', `it is damaged: ${damage}`, REMEDIES.files));
  const own = problems.length > 0 ? problems : [good('store', 'answers, and has the schema of this release')];
  const clocks = now === undefined ? [] : examineClocks(now);
  return [...own, ...(await examineMove(store)), ...(await examineServer(config)), ...clocks];
}

async function examineMove(store: Store): Promise<Finding[]> {
  const movedAt = await movedAwayAt(store);
  return movedAt === undefined ? [] : [bad('move', movedText(movedAt), USE_THE_OTHER)];
}

/** Connects and reads, for each host at most `connect_timeout`; changes nothing. */
export async function examineServer(config: Config): Promise<Finding[]> {
  const { serverFacts, remedy } = storeAt(config);
  if (!serverFacts) return [];
  try {
    const { place, release, role, isSuperuser } = await serverFacts();
    const todo = 'Let nodes use a role of their own: docs/postgresql.md, Roles.';
    if (isSuperuser) return [poor('database', `${place}: ${role} is a superuser, who may do anything there`, todo)];
    return [good('database', `${place}, PostgreSQL ${release}`)];
  } catch (error) {
    return [bad('database', (error as Error).message, todoOf(error) ?? remedy)];
  }
}

/** Tokens are checked by the store's clock and certificates by the node's, so the clocks must agree. */
function examineClocks(storeTime: EpochSeconds): Finding[] {
  const ahead = systemClock.now() - storeTime;
  if (Math.abs(ahead) <= TOLERANCE) return [];
  const says = `this machine is ${Math.abs(ahead)} seconds ${ahead > 0 ? 'ahead of' : 'behind'} the database`;
  return [bad('clock of the store', says, 'Set the clock that is wrong, and keep both by NTP.')];
}
