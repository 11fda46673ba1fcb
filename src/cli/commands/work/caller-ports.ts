// What the service judges requests with, opened beside its store for dry runs.
import { settingsOf } from '../../../config/load.ts';
import { refuse } from '../../../core/outcome.ts';
import { openDirectories } from '../../../open-directory.ts';
import { openKeyring } from '../../../open-keyring.ts';
import { FollowedRegistry } from '../../../store/registry.ts';
import { systemClock } from '../../../system.ts';
import { Keyring } from '../../../tokens/keyring.ts';
import type { Workplace } from '../../terminal/workplace.ts';

export async function callerPortsOf({ config, store, random }: Workplace) {
  const registry = await FollowedRegistry.load(store);
  const keyring = new Keyring(await openKeyring(config, store));
  return {
    store,
    registry,
    keyring,
    random,
    directories: await openDirectories(store, config),
    settings: settingsOf(config),
    clock: systemClock,
    issuer: config.publicUrl,
    // Nothing is presented, so nothing is judged.
    admitClock: () => undefined,
    judge: async () => ({ outcome: refuse('certificate-missing'), steps: [] }),
    judgeAssertion: async () => ({ outcome: refuse('assertion-malformed'), steps: [] }),
    logRefused: () => undefined,
    logRefusedAssertion: () => undefined,
    countIgnoredHeader: () => undefined,
  };
}
