// Tessera as `tessera serve` runs it, with the given settings, optionally with background work.
//   tessera.ts JSON
import { setTimeout as sleep } from 'node:timers/promises';
import { composeService } from '../../../src/compose/service.ts';
import { loadConfig, settingsOf } from '../../../src/config/load.ts';
import type { Config } from '../../../src/config/schema.ts';
import { makeLog } from '../../../src/log/log.ts';
import { openKeyring } from '../../../src/open-keyring.ts';
import { openStore } from '../../../src/open-store.ts';
import { sweep } from '../../../src/operations/upkeep/sweep.ts';
import { runService } from '../../../src/run-service.ts';
import type { Store } from '../../../src/store/store.ts';
import { systemClock } from '../../../src/system.ts';
import { Keyring } from '../../../src/tokens/keyring.ts';

export type Beside = 'sweep' | 'events';

export interface TesseraArguments {
  readonly sets: readonly string[];
  readonly workers: number;
  /** Background work: remove ended grants, or follow the events. */
  readonly beside?: Beside | undefined;
}

const BESIDES: Readonly<Record<Beside, (store: Store, config: Config) => Promise<void>>> = {
  sweep: async (store, config) => {
    for (;;) {
      await sweep({ store, settings: settingsOf(config) }, () => sleep(10));
      await sleep(100);
    }
  },
  events: async (store) => {
    for (let after = 0; ; await sleep(50)) {
      const events = await store.events({ after, limit: 1000 });
      after = events.at(-1)?.sequence ?? after;
    }
  },
};

const { sets, workers, beside }: TesseraArguments = JSON.parse(process.argv[2] ?? '');
const config = loadConfig({ env: {}, sets });
if (beside === undefined) await runService(config, workers, () => undefined);
else await runBeside(beside);

async function runBeside(what: Beside): Promise<void> {
  const store = await openStore(config, 'service');
  const keyring = new Keyring(await openKeyring(config, store));
  const service = await composeService(
    config,
    store,
    keyring,
    makeLog({ ...config.log, milliseconds: systemClock.milliseconds }),
  );
  process.once('SIGTERM', () => process.exit(0));
  await service.listen();
  await BESIDES[what](store, config);
}
