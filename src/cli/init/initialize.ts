// `tessera init` creates what an installation lacks, keeps what exists, and prints which. It can be repeated, and works with
// an existing configuration file and with either store.
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { readKeys } from '../../config/keys.ts';
import { loadConfig } from '../../config/load.ts';
import type { Config } from '../../config/schema.ts';
import { COMMAND_LINE } from '../../core/integration.ts';
import { accept } from '../../core/outcome.ts';
import { withKeyringLocked } from '../../lock-keyring.ts';
import { openKeyring } from '../../open-keyring.ts';
import { storeAt } from '../../open-store.ts';
import { knowsKeys } from '../../operations/admin/check-keyring.ts';
import { hasIdentities } from '../../operations/admin/find-identity.ts';
import { draftedNames } from '../../operations/admin/integration-draft.ts';
import { markMinting } from '../../operations/admin/mac-keys.ts';
import { FollowedRegistry } from '../../store/registry.ts';
import type { Store } from '../../store/store.ts';
import { firstKey, Keyring } from '../../tokens/keyring.ts';
import { writeKeyringFile } from '../../tokens/keyring-file.ts';
import { CommandFailure } from '../terminal/exit.ts';
import { FOR_OWNER, writeNewFile } from '../terminal/files.ts';
import { print, result } from '../terminal/output.ts';
import { accepted } from '../terminal/wording.ts';
import { atWorkplace, commandAuthor, refusePassword } from '../terminal/workplace.ts';
import { configText, type InitFlags } from './config-text.ts';
import { addFirstRegistrations } from './first-registrations.ts';

export async function initialize(flags: InitFlags, command: Command): Promise<void> {
  const { config: flag, set: sets = [] } = command.optsWithGlobals<{ config?: string; set?: string[] }>();
  const file = resolve(flag ?? (process.env['TESSERA_CONFIG'] || 'tessera.yaml'));
  if (flags.store) refusePassword(flags.store);
  checkFirstIntegration(flags);
  const config = existsSync(file) ? takeConfig(file, sets, command) : writeConfig(file, flags, sets);
  mkdirSync(config.dataFolder, { recursive: true, mode: 0o700 });
  print(await storeAt(config).prepare());
  const store = await storeAt(config).open('command');
  try {
    await prepareKeyring(config, store);
  } finally {
    await store.close();
  }
  command.setOptionValue('config', file);
  await atWorkplace(command, async (workplace) => {
    const added = await addFirstRegistrations(flags, workplace);
    result({ configuration: file, dataFolder: config.dataFolder, ...added });
    const tessera = flag === undefined ? 'tessera' : `tessera --config ${file}`;
    sayNext(config, await presentIn(workplace.store), tessera);
  });
}

function checkFirstIntegration({ integration, scope }: InitFlags): void {
  if (integration === undefined && scope === undefined) return;
  if (integration === undefined || scope === undefined) {
    throw new CommandFailure('usage', '--integration and --scope belong together', 'Give both, or neither.');
  }
  accepted(draftedNames(integration, scope));
}

/** Flags that go into a new configuration file. */
const WRITTEN = { publicUrl: '--public-url', dataFolder: '--data-folder', store: '--store' } as const;

function takeConfig(file: string, sets: readonly string[], command: Command): Config {
  for (const [name, flag] of Object.entries(WRITTEN))
    if (command.getOptionValueSource(name) === 'cli')
      throw new CommandFailure(
        'usage',
        `${flag} is for a new configuration, and there is one at ${file}`,
        'Change it in the file, then run init without the flag. Nothing was changed.',
      );
  const config = loadConfig({ file, env: process.env, sets });
  print(`Left the configuration ${file} as it is`);
  return config;
}

/** Writes the file and loads it as the service would. A file that does not load is removed. */
function writeConfig(file: string, flags: InitFlags, sets: readonly string[]): Config {
  mkdirSync(dirname(file), { recursive: true });
  writeNewFile(file, configText(flags), FOR_OWNER); // it may later contain a database password
  try {
    const config = loadConfig({ file, env: process.env, sets });
    refuseTrial(config);
    print(`Wrote ${file}`);
    return config;
  } catch (error) {
    rmSync(file);
    throw error;
  }
}

/** The quick start's authority has its key beside the data, and its identity is made up. */
function refuseTrial({ dataFolder }: Config): void {
  if (!existsSync(join(dataFolder, 'authority.key'))) return;
  throw new CommandFailure(
    'refused',
    `${dataFolder} was made by the quick start, for trying only`,
    'Choose another folder: --data-folder FOLDER. Nothing was changed.',
  );
}

/** Two commands at once would each make one, and the store know only that of the first. */
async function prepareKeyring(config: Config, store: Store): Promise<void> {
  const { keyring } = config;
  if (keyring.from === 'variable') return takeKeyring(config, store);
  mkdirSync(dirname(keyring.path), { recursive: true, mode: 0o700 });
  accepted(await withKeyringLocked(keyring.path, async () => accept(await takeKeyring(config, store))));
}

/** Makes a keyring only if the store has never seen a key: otherwise a new one would end every grant. */
async function takeKeyring(config: Config, store: Store): Promise<void> {
  const isNew = readKeys(config, process.env) === undefined && !(await knowsKeys(store));
  if (isNew) makeKeyring(config);
  const keyring = new Keyring(await openKeyring(config, store));
  const { keyring: source } = config;
  const place = source.from === 'file' ? source.path : `in the variable ${source.name}`;
  if (!isNew) print(`Left the keyring ${place} as it is: it has every key in use`);
  await markMinting(keyring.minting, undefined, { store, by: commandAuthor() });
}

function makeKeyring(config: Config): void {
  const { keyring } = config;
  if (keyring.from === 'variable')
    throw new CommandFailure(
      'keyring',
      `the configuration takes the keyring from the variable ${keyring.name}, which is not set`,
      'Make one in a file with --set keyring=FILE, then put its contents into the variable.',
    );
  writeKeyringFile(keyring.path, firstKey());
  print(`Made the keyring ${keyring.path} (mode 0600)`);
}

/** What the store already has. */
async function presentIn(store: Store) {
  const { integrations, issuers } = await FollowedRegistry.load(store);
  const others = integrations.filter(({ clientId }) => clientId !== COMMAND_LINE);
  return { integration: others.length > 0, identity: await hasIdentities({ store }), issuer: issuers.length > 0 };
}

/** Prints what the operator still has to do after `tessera init`. `tessera` is how to run the command. */
function sayNext(config: Config, present: Awaited<ReturnType<typeof presentIn>>, tessera: string): void {
  const steps = [
    ...certificateStep(config),
    'Back up the keyring, apart from the store: without it every grant ends.',
    ...(storeAt(config).isShared
      ? [
          'Copy the configuration and the keyring (mode 0600) to every other node; run init there too, it makes no new key.',
        ]
      : []),
    ...(present.integration
      ? []
      : [`Register an integration:  ${tessera} integration add orders-sync --scope 'orders:read'`]),
    ...(present.identity ? [] : [`Add people:               ${tessera} identity add ada`]),
    ...(present.issuer ? [] : [`Approve an authority:     ${tessera} issuer add corp corp-ca.pem`]),
    `See what is missing:      ${tessera} doctor`,
    `Start:                    ${tessera} serve`,
  ];
  print('\nNext:');
  for (const [index, step] of steps.entries()) print(`  ${index + 1}. ${step}`);
}

function certificateStep({ listeners, publicUrl }: Config): readonly string[] {
  const tls = listeners[0]?.tls;
  if (!tls || (existsSync(tls.certificate) && existsSync(tls.key))) return [];
  return [`Put the server certificate for ${publicUrl} at ${tls.certificate}, its key at ${tls.key} (mode 0600).`];
}
