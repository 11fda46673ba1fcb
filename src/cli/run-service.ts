import { composeService, openStore } from '../compose.ts';
import type { Config } from '../config/schema.ts';
import { type Log, makeLog } from '../log/log.ts';
import { checkKeyring } from '../operations/admin/check-keyring.ts';
import { markMinting } from '../operations/admin/mark-minting.ts';
import { every, WatchedFiles } from '../serve/watch.ts';
import { isWorker, superviseWorkers } from '../serve/workers.ts';
import type { Store } from '../store/store.ts';
import { Keyring } from '../tokens/keyring.ts';
import { readKeyring } from '../tokens/keyring-source.ts';

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
  announce(await service.listen());
  log.info({ signal: await stopSignal }, 'stopping');
  await service.stop();
}

async function startService(config: Config, log: Log) {
  const store = await openStore(config, 'thread');
  try {
    const keyring = await openKeyring(config, store);
    const service = await composeService(config, store, keyring, log);
    const stopFollowing = followKeyring(config, keyring, store, log);
    return { ...service, stop: () => (stopFollowing(), service.stop()) };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** The keyring that the configuration names, proven to be the one that the store's grants need. */
async function openKeyring({ keyring: source }: Config, store: Store): Promise<Keyring> {
  const keys = readKeyring(source, process.env);
  const keyring = await checkKeyring(keys && new Keyring(keys), store);
  await markMinting(keyring.minting, undefined, { store, by: 'service' });
  return keyring;
}

/** Keys are added, minted with and retired by commands; a running service takes the file's word for it. */
function followKeyring(config: Config, keyring: Keyring, store: Store, log: Log): () => void {
  if (config.keyring.from !== 'file') return () => undefined;
  const file = new WatchedFiles([config.keyring.path]);
  file.readIfChanged();
  const follow = async () => {
    if (!file.readIfChanged()) return;
    await openKeyring(config, store);
    keyring.exchange(readKeyring(config.keyring, process.env) ?? []);
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
