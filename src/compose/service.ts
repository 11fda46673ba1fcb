// Puts the service together from an open store, a keyring and the configuration.
import { setTimeout as sleep } from 'node:timers/promises';
import { settingsOf } from '../config/load.ts';
import type { Config } from '../config/schema.ts';
import { asksAnybody, asksForCertificates, publicNameOf, unservedDoors } from '../config/served-doors.ts';
import type { Census } from '../front/admission.ts';
import { faultLines } from '../log/fault-lines.ts';
import type { Log } from '../log/log.ts';
import { openDirectories } from '../open-directory.ts';
import { storeAt } from '../open-store.ts';
import type { Clock, Ports } from '../operations/ports.ts';
import { EventWatch, watchedStore } from '../operations/upkeep/event-watch.ts';
import { hasEnded, nodeName } from '../operations/upkeep/node-name.ts';
import { RecentActs } from '../operations/upkeep/recent-acts.ts';
import { isAlone, NodeReporter } from '../operations/upkeep/report-node.ts';
import { resumeAfter } from '../operations/upkeep/resume.ts';
import { shortenedLifetimes, wordsOnShortened } from '../operations/upkeep/shortened-lifetimes.ts';
import { keeperOfTimes, Timekeeper } from '../operations/upkeep/timekeeper.ts';
import { openListener } from '../serve/open-listener.ts';
import { ASKS_ANYBODY, LACKS_INTERMEDIATES, seesIntermediates } from '../serve/this-node.ts';
import { startChores } from '../serve/watch.ts';
import { recordingOutages } from '../store/outages.ts';
import { FollowedRegistry } from '../store/registry.ts';
import { type Store, StoreUnavailable } from '../store/store.ts';
import { systemClock, systemRandom } from '../system.ts';
import type { Keyring } from '../tokens/keyring.ts';
import { choresOf } from './chores.ts';
import { composeJudges } from './judges.ts';
import { logEvents } from './log-notices.ts';
import { partsOf } from './parts.ts';
import { startTracing } from './tracing.ts';

export interface Service {
  listen(): Promise<readonly string[]>;
  /** Reads what is registered, and the files of listeners, as it does every second: tests need not wait. */
  follow(): Promise<void>;
  census(): Census;
  stop(): Promise<void>;
}

/** `clock`: tests drive it; it must be the one the store was opened with. */
export async function composeService(
  config: Config,
  opened: Store,
  keyring: Keyring,
  log: Log,
  clock: Clock = systemClock,
): Promise<Service> {
  const asks = config.listeners.some(asksForCertificates);
  const timekeeper = await Timekeeper.begin({ store: opened, clock });
  const node = nodeName(systemRandom);
  const tracing = await startTracing(config, node, clock, log);
  const recorded = recordingOutages(opened, timekeeper.admit);
  const acts = storeAt(config).canBePutBack ? new RecentActs(recorded) : undefined;
  const watch = new EventWatch({
    store: recorded,
    node,
    milliseconds: clock.milliseconds,
    news: logEvents(log, (lag) => {
      parts.metrics.eventLag = lag;
    }),
    acts,
    resume: config.onRollback === 'resume' ? (rollback) => resumeAfter(rollback, recorded) : undefined,
  });
  const watched = acts ? watchedStore(recorded, watch, acts) : recorded;
  const store = tracing?.traceStore(watched) ?? watched;
  const registry = await FollowedRegistry.load(store, (key) => keyring.isRetired(key));
  for (const { about, says, todo } of unservedDoors(config, registry))
    log.warn({ why: says, todo }, `not served: ${about}`);
  const directories = await openDirectories(store, config);
  const settings = settingsOf(config);
  const shortened = await shortenedLifetimes({ store, registry, settings });
  if (shortened.length > 0) {
    const { says, todo } = wordsOnShortened(shortened, settings);
    log.warn({ todo }, says);
  }
  const issuer = config.publicUrl;
  const reporter = new NodeReporter(node, { keyring, store });
  const ports: Ports = {
    ...{ store, registry, keyring, directories, settings, issuer, clock, random: systemRandom },
    ...(acts && { explainLoss: (grant) => watch.explainLoss(grant) }),
  };
  const judges = composeJudges(config, { ...ports, timekeeper }, log, tracing);
  if (config.listeners.some(asksAnybody)) log.warn({ todo: ASKS_ANYBODY.todo }, ASKS_ANYBODY.says);
  const parts = await partsOf(config, { ...ports, timekeeper, watch, reporter }, judges, log, tracing);
  const listeners = config.listeners.map((place) =>
    openListener({ ...place, publicName: publicNameOf(place, config) }, parts),
  );
  // The readiness check logs once that the store is unavailable.
  const logError = faultLines(log, clock.milliseconds);
  const logFault = (fault: unknown, chore: string) =>
    fault instanceof StoreUnavailable
      ? log.debug({ fault: fault.message, chore }, 'left for later')
      : logError('fault in the background', { text: String(fault) }, { chore });
  const keepTimes = keeperOfTimes(ports, () =>
    isAlone(ports.store, (name) => hasEnded(name, storeAt(config).isShared)),
  );
  const reload = async () => {
    for (const listener of listeners) listener.reload();
  };
  // In this order: workers that start together must not take each other for nodes that have been running.
  const report = () => keepTimes().then(() => reporter.report(clock.now));
  const chores = choresOf(
    parts,
    { timekeeper, registry, watch, report, reload, renewKeys: judges.renewKeys },
    logFault,
  );
  const stopChores = await startChores(chores, logFault);
  return {
    listen: async () => {
      // The remedy names the setting of the listener.
      const named = (index: number) => (fault: Error) => Promise.reject(Object.assign(fault, { listener: index }));
      const opening = listeners.map((listener, index) => listener.listen().catch(named(index)));
      const addresses = await Promise.all(opening);
      const { says, todo } = LACKS_INTERMEDIATES;
      const warn = (isSeen: boolean) => isSeen || log.warn({ todo }, says);
      if (asks) void seesIntermediates().then(warn);
      return addresses;
    },
    follow: () => registry.refresh().then(reload),
    census: () => sumOf(listeners.map((listener) => listener.census())),
    stop: async () => {
      await parts.readiness.announceStop(config.limits.stopNotice * 1000);
      // The background work goes on until the last request is answered: requests need its results.
      await Promise.all(listeners.map((listener) => listener.drain()));
      const stopped = stopChores();
      const keepLast = () => parts.keeper.keep(clock.now(), true);
      const last = Promise.all([reporter.leave(), parts.refusals.flush(), stopped.then(keepLast)]).catch(
        (fault: unknown) => logFault(fault, 'stop'),
      );
      const leaving = Promise.race([last, sleep(LEAVE_MS, undefined, { ref: false })]);
      await Promise.all([stopped, leaving]);
      await Promise.all([store.close(), tracing?.stop()]);
    },
  };
}

function sumOf(censuses: readonly Census[]): Census {
  const sum = (what: keyof Census) => censuses.reduce((total, census) => total + census[what], 0);
  return { held: sum('held'), living: sum('living'), orphaned: sum('orphaned') };
}

/** How long a stop waits for a store that is unavailable. */
const LEAVE_MS = 1_000;
