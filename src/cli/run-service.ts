import { composeService, openStore } from '../compose.ts';
import type { Config } from '../config/schema.ts';
import { type Log, makeLog } from '../log/log.ts';
import { checkKeyring } from '../operations/admin/check-keyring.ts';
import { markMinting } from '../operations/admin/mark-minting.ts';
import { isWorker, superviseWorkers } from '../serve/workers.ts';
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
    const keys = readKeyring(config.keyring, process.env);
    const keyring = await checkKeyring(keys && new Keyring(keys), store);
    await markMinting(keyring.minting, undefined, { store, by: 'service' });
    return await composeService(config, store, keyring, log);
  } catch (error) {
    await store.close();
    throw error;
  }
}

function firstSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve(signal));
  });
}
