import { composeService } from '../compose.ts';
import type { Config } from '../config/schema.ts';
import { type Log, makeLog } from '../log/log.ts';
import { openStore } from '../open-store.ts';
import { markMinting } from '../operations/admin/mark-minting.ts';
import { every, WatchedFiles } from '../serve/watch.ts';
import { isWorker, superviseWorkers } from '../serve/workers.ts';
import type { Store } from '../store/store.ts';
import { Keyring } from '../tokens/keyring.ts';
import { keysOf } from './keyring-place.ts';

/** Runs the service until a signal stops it: in this process, or in workers that share its ports. */
export async function runService(
  config: Config,
  workers: number,
  announce: (addresses: readonly string[]) => void,
): Promise<void> {
  const log = makeLog(config.log);
  const stopSignal = firstSignal();
  if (workers > 1 && !isWorker()) return superviseWorkers(workers, stopSignal, log);
  const service = await startService(config, log);
  try {
    announce(await service.listen());
    log.info({ signal: await stopSignal }, 'stopping');
  } finally {
    await service.stop();
  }
}

async function startService(config: Config, log: Log) {
  const store = await openStore(config, 'thread');
  try {
    const keyring = new Keyring(await keysOf(config, store));
    await markMinting(keyring.minting, undefined, { store, by: 'service' });
    const service = await composeService(config, store, keyring, log);
    const stopFollowing = followKeyring(config, keyring, store, log);
    const stop = () => {
      stopFollowing();
      return service.stop();
    };
    return { ...service, stop };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Keys are added, minted with and retired by commands; a running service takes the file's word for it. */
function followKeyring(config: Config, keyring: Keyring, store: Store, log: Log): () => void {
  if (config.keyring.from !== 'file') return () => undefined;
  const file = new WatchedFiles([config.keyring.path]);
  file.readIfChanged();
  const follow = async () => {
    if (!file.readIfChanged()) return;
    keyring.exchange(await keysOf(config, store));
    await markMinting(keyring.minting, undefined, { store, by: 'service' });
    log.info({ minting: keyring.minting.id }, 'the keyring was read again');
  };
  return every(KEYRING_EVERY_MS, follow, (fault) =>
    log.error({ fault: String(fault) }, 'the keyring was not read again'),
  );
}

const KEYRING_EVERY_MS = 1_000;

function firstSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve(signal));
  });
}
