import { setTimeout as sleep } from 'node:timers/promises';
import { composeService, type Service } from './compose/service.ts';
import type { Config } from './config/schema.ts';
import { type MetricsPart, sumOfCounters } from './doors/ops/merge-metrics.ts';
import { type Log, makeLog } from './log/log.ts';
import { RepeatedLines } from './log/repeated-lines.ts';
import { endWithoutReader } from './log/standard-output.ts';
import { openKeyring } from './open-keyring.ts';
import { openStore, storeAt } from './open-store.ts';
import { alignWithKeyring } from './operations/admin/signing-keys.ts';
import { followKeyring } from './serve/follow-keyring.ts';
import { Gathering } from './serve/gather.ts';
import { reportToSystemd } from './serve/systemd.ts';
import { endsWithin } from './serve/watch.ts';
import { aWorkerReplies, isWorker, leaveSupervisor, reportServing, superviseWorkers } from './serve/workers.ts';
import { takeOver } from './store/move.ts';
import { ClockImplausible, type Store, StoreUnavailable } from './store/store.ts';
import { systemClock } from './system.ts';
import { Keyring, type StoredKey } from './tokens/keyring.ts';
import { VERSION } from './version.ts';

/** Runs the service until a signal stops it: in this process, or in workers that share its ports. */
export async function runService(
  config: Config,
  workers: number,
  announce: (addresses: readonly string[]) => void,
): Promise<void> {
  const log = makeLog({ ...config.log, milliseconds: systemClock.milliseconds });
  const stopSignal = firstSignal();
  const patienceMs = (config.limits.stopNotice + config.limits.stopTimeout) * 1000 + GRACE_MS;
  if (workers > 1 && !isWorker()) {
    const gathering = new Gathering((parts) => sumOfCounters(parts as readonly MetricsPart[]));
    const systemd = reportToSystemd(() => aWorkerReplies(REPLY_MS), logSystemd(log));
    void stopSignal.then(() => systemd.stopping());
    const onServing = () => systemd.ready();
    process.exitCode = await superviseWorkers({ count: workers, stopSignal, patienceMs, log, gathering, onServing });
    return;
  }
  const service = await startService(config, log, stopSignal);
  if (!service) return;
  const systemd = isWorker() ? undefined : reportToSystemd(async () => true, logSystemd(log));
  try {
    const addresses = await service.listen();
    log.info({ publicUrl: config.publicUrl, addresses, version: VERSION }, 'ready');
    if (isWorker()) reportServing();
    systemd?.ready();
    announce(addresses);
    log.info({ signal: await stopSignal }, 'stopping');
    systemd?.stopping();
  } finally {
    await stopInTime(service, patienceMs, log);
    endWithoutReader(READER_MS);
    if (isWorker()) leaveSupervisor();
  }
}

/** If no worker replies by then, the watchdog of systemd restarts the service. */
const REPLY_MS = 5_000;

function logSystemd(log: Log): (fault: unknown) => void {
  return (fault) => log.warn({ fault: String(fault) }, 'systemd could not be notified');
}

/** For the last lines of the log to be read. */
const READER_MS = 1_000;

/** In addition to the time for requests in flight. */
const GRACE_MS = 3_000;

/** Stops within the time limit. Every acknowledged change is durable, so exiting loses nothing. */
async function stopInTime(service: Pick<Service, 'stop'>, patienceMs: number, log: Log): Promise<void> {
  if (await endsWithin(patienceMs, service.stop())) return;
  log.warn({ afterMs: patienceMs }, 'something did not let go: stopped without it');
  process.exit();
}

/** A start writes. A shared store that does not take the writes yet is tried again, like one that is away. */
async function startService(config: Config, log: Log, stopSignal: Promise<string>) {
  const logWaiting = waitingLog(log);
  const stopped = stopSignal.then(() => true);
  for (;;) {
    const store = await openWhenAvailable(config, log, stopSignal, logWaiting);
    if (!store) return undefined;
    try {
      return await startOn(store, config, log);
    } catch (error) {
      await store.close();
      if (!isPassing(error) || !storeAt(config).isShared) throw error;
      logWaiting(error);
    }
    if (await Promise.race([stopped, sleep(AGAIN_MS)])) return undefined;
  }
}

const AGAIN_MS = 1_000;

function isPassing(error: unknown): error is StoreUnavailable {
  return error instanceof StoreUnavailable && !(error instanceof ClockImplausible);
}

async function startOn(store: Store, config: Config, log: Log) {
  await takeOver(store);
  const readKeys = () => openKeyring(config, store);
  const keys = await readKeys();
  const keyring = new Keyring(keys);
  const by = { as: 'service', why: 'start' } as const;
  // From its first token on, every node needs the key that mints.
  const apply = async (held: readonly StoredKey[]) => {
    const ended = await alignWithKeyring(held, { store, by });
    if (ended.length > 0)
      log.warn({ keys: ended.map(({ id }) => id) }, 'retired keys were in use in the store: ended again');
  };
  await apply(keys);
  const service = await composeService(config, store, keyring, log);
  const stopFollowing =
    config.keyring.from === 'file'
      ? followKeyring({ path: config.keyring.path, keyring, readKeys, apply, log })
      : async () => undefined;
  const stop = async () => {
    await stopFollowing();
    await service.stop();
  };
  return { ...service, stop };
}

/** Undefined if a signal arrived while it waited. */
async function openWhenAvailable(
  config: Config,
  log: Log,
  stopSignal: Promise<string>,
  logWaiting: (fault: StoreUnavailable) => void,
): Promise<Store | undefined> {
  const giveUp = new Error('stopped while waiting for the store');
  let isStopping = false;
  const opening = openStore(config, (fault) => {
    if (isStopping) throw giveUp;
    logWaiting(fault);
  });
  const first = await Promise.race([opening, stopSignal]);
  if (typeof first !== 'string') return first;
  isStopping = true;
  opening.then((store) => store.close()).catch(() => undefined);
  log.info({ signal: first }, giveUp.message);
  return undefined;
}

const REMIND_MS = 60_000;

/** Logs each new reason, and repeats it once a minute. */
function waitingLog(log: Log): (fault: StoreUnavailable) => void {
  const lines = new RepeatedLines(REMIND_MS, systemClock.milliseconds);
  return (fault) => {
    if (lines.take(fault.message) === undefined) return;
    log.warn({ why: fault.message, todo: (fault as { todo?: string }).todo }, 'waiting for the store');
  };
}

/** A signal to a process group comes once more from each of npm and the launcher, which pass it on. Later, a second one ends the process. */
const SAME_SIGNAL_MS = 2_000;

function firstSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.on(signal, function take() {
        resolve(signal);
        setTimeout(() => process.off(signal, take), SAME_SIGNAL_MS).unref();
      });
  });
}
