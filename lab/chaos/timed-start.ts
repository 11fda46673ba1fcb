// Starts the service of a configuration file as src/run-service.ts does, and prints when each part of the start was done.
const done = (part: string, more: object = {}) => {
  const { user, system } = process.cpuUsage();
  console.log(JSON.stringify({ part, at: Date.now(), busyMs: (user + system) / 1000, ...more }));
};

done('process');
const { composeService } = await import('../../src/compose/service.ts');
const { loadConfig } = await import('../../src/config/load.ts');
const { makeLog } = await import('../../src/log/log.ts');
const { openKeyring } = await import('../../src/open-keyring.ts');
const { openStore } = await import('../../src/open-store.ts');
const { alignWithKeyring } = await import('../../src/operations/admin/signing-keys.ts');
const { systemClock } = await import('../../src/system.ts');
const { Keyring } = await import('../../src/tokens/keyring.ts');
const config = loadConfig({ file: process.argv[2], env: {} });
done('modules');

const store = await openStore(config, 'service');
done('store');

const keys = await openKeyring(config, store);
await alignWithKeyring(keys, { store, by: { as: 'service', why: 'start' } });
done('keys');

const log = makeLog({ ...config.log, milliseconds: systemClock.milliseconds });
const service = await composeService(config, store, new Keyring(keys), log);
done('background work');

const [url] = await service.listen();
done('listening', { url });

export {};
