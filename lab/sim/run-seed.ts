import { turns } from '../../test/store/faulty-back-end.ts';
import { audit } from './audit.ts';
import { type Callers, check, letLoose, refresh } from './callers.ts';
import { type Deed, History } from './history.ts';
import { violations } from './model.ts';
import { type SimDatabase, worldOf } from './world.ts';

export interface SeedResult {
  readonly deeds: readonly Deed[];
  readonly violations: readonly string[];
}

/** One seed: random callers, then no more faults, then every token is tried again, and the model checks the history. */
export async function runSeed(seed: number, database: SimDatabase): Promise<SeedResult> {
  const world = await worldOf(seed, database);
  const firstEvent = await lastEvent(database);
  const callers: Callers = { world, history: new History(world.clock.now), codes: [], held: [] };
  await letLoose(callers);
  world.calmDown();
  await turns(20); // lets pending commits finish
  const { deeds } = callers.history;
  const wrong = await audit(deeds, firstEvent, world);
  for (const pair of callers.held) await check(callers, pair);
  for (const pair of callers.held.toReversed()) await refresh(callers, pair);
  return { deeds, violations: [...violations({ deeds, settings: world.settings }), ...wrong] };
}

/** Where the event log ended before this seed. */
async function lastEvent({ backEnds: [backEnd], eventsRead }: SimDatabase): Promise<number> {
  for (;;) {
    const events = await backEnd.events({ after: eventsRead.upTo, limit: 10_000 });
    if (events.length === 0) return eventsRead.upTo;
    eventsRead.upTo = events.at(-1)?.sequence ?? eventsRead.upTo;
  }
}
