// More load than the service can take, of every kind: accepted requests must stay near capacity, and fast.
import { AT_CAPACITY, callersOf, type Field, leaveField, load, prepareField, recovery } from './field.ts';
import { type Caller, type LoadReport, rateOf, settle } from './load.ts';
import { printTable, type Row, type Turn } from './table.ts';
import { KINDS, type Kind } from './walks.ts';

const QUOTA = 0.4;
const CALLERS = 800;
const MULTIPLES = [5, 50];
/** Capacity and overload are measured in turns, since the machine's speed changes. */
const TURNS = 7;
/** A turn in which more of the machine's time was stolen than this is repeated, until there were so many turns. */
const MOST_STOLEN = 0.08;
const MOST_TURNS = 15;

/** Returns how many targets were missed and promises broken. */
export async function attackWithLoad(): Promise<number> {
  const field = await prepareField(CALLERS, QUOTA);
  const rows: Row[] = [];
  for (const kind of KINDS) rows.push(...(await overloadOf(kind, field)));
  return printTable(rows) + (await leaveField(field));
}

async function overloadOf(kind: Kind, field: Field): Promise<Row[]> {
  const callers = callersOf(kind, field);
  const rows: Row[] = [];
  for (const multiple of MULTIPLES) {
    const turns = await inTurns(callers.slice(0, AT_CAPACITY), field, async (capacity) => {
      const report = await load(callers, multiple * rateOf(capacity), field);
      const recoveryMs = await recovery(field);
      await settle(callers);
      return { report, recoveryMs };
    });
    rows.push({ name: `${kind} × ${multiple}`, turns });
  }
  return rows;
}

/** The capacity is measured with these callers between the attacks. */
async function inTurns(
  callers: readonly Caller[],
  field: Field,
  attack: (capacity: LoadReport) => Promise<Pick<Turn, 'report' | 'recoveryMs'>>,
): Promise<Turn[]> {
  const turns: Turn[] = [];
  const disturbed: Turn[] = [];
  let before = await load(callers, undefined, field);
  while (turns.length < TURNS && turns.length + disturbed.length < MOST_TURNS) {
    const attacked = await attack(before);
    const after = await load(callers, undefined, field);
    const turn: Turn = { ...attacked, before, capacity: (rateOf(before) + rateOf(after)) / 2 };
    const isDisturbed = [before, attacked.report, after].some(({ stolen }) => stolen > MOST_STOLEN);
    (isDisturbed ? disturbed : turns).push(turn);
    before = after;
  }
  if (turns.length === TURNS) return turns;
  console.log(
    `other machines on this host were busy: of ${MOST_TURNS} turns only ${turns.length} were undisturbed; all count`,
  );
  return [...turns, ...disturbed];
}
