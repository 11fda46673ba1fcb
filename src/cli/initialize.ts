// `tessera init`: the production version of a first start. Everything is checked before anything is written.
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import { loadConfig } from '../config/load.ts';
import type { Config } from '../config/schema.ts';
import { openStore } from '../open-store.ts';
import { addIdentity } from '../operations/admin/add-identity.ts';
import { draftedIntegration } from '../operations/admin/integration-draft.ts';
import { markMinting } from '../operations/admin/mark-minting.ts';
import { registerIntegration } from '../operations/admin/register-integration.ts';
import { firstKey, Keyring } from '../tokens/keyring.ts';
import { writeKeyringFile } from '../tokens/keyring-file.ts';
import { CommandFailure } from './exit.ts';
import type { InitFlags } from './init-flags.ts';
import { configText } from './init-text.ts';
import { print } from './output.ts';
import { obtainPassword } from './password.ts';
import { granted } from './wording.ts';
import { atWorkplace, type Workplace } from './workplace.ts';

export async function initialize(flags: InitFlags, command: Command): Promise<void> {
  const { config: named = 'tessera.yaml', set: sets = [] } = command.optsWithGlobals<{
    config?: string;
    set?: string[];
  }>();
  const file = resolve(named);
  refuseToOverwrite('configuration', file);
  checkFirstIntegration(flags);
  const config = writeConfig(file, flags, sets);
  print(`Wrote ${file}`);
  await makeKeyringAndStore(config);
  command.setOptionValue('config', file);
  await atWorkplace(command, (workplace) => addFirstOnes(flags, workplace));
  sayNext(config, flags);
}

function refuseToOverwrite(what: string, path: string): void {
  if (!existsSync(path)) return;
  throw new CommandFailure(
    'refused',
    `there is a ${what} at ${path} already`,
    'Nothing was changed; init never overwrites.',
  );
}

function checkFirstIntegration({ integration, scope }: InitFlags): void {
  if (integration === undefined && scope === undefined) return;
  if (integration === undefined || scope === undefined) {
    throw new CommandFailure('usage', '--integration and --scope belong together', 'Give both, or neither.');
  }
  granted(draftedIntegration(integration, { scope }));
}

/** Writes the file and loads it as the service would. One that does not load, or would take over what is there, goes again. */
function writeConfig(file: string, flags: InitFlags, sets: readonly string[]): Config {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, configText(flags), { flag: 'wx' });
  try {
    const config = loadConfig({ file, env: process.env, sets });
    refuseToOverwrite('keyring', keyringPath(config));
    refuseToOverwrite('store', storePath(config));
    return config;
  } catch (error) {
    rmSync(file);
    throw error;
  }
}

function keyringPath({ keyring }: Config): string {
  if (keyring.from === 'file') return keyring.path;
  throw new CommandFailure(
    'configuration',
    `the keyring is in the variable ${keyring.name}`,
    'init makes a file: unset it for now.',
  );
}

function storePath({ store }: Config): string {
  if (store.kind === 'sqlite') return store.path;
  throw new CommandFailure(
    'configuration',
    'the store is PostgreSQL',
    'init makes SQLite stores; a PostgreSQL store is made when the service first opens it.',
  );
}

async function makeKeyringAndStore(config: Config): Promise<void> {
  const [keyring, database] = [keyringPath(config), storePath(config)];
  for (const folder of [config.dataFolder, dirname(keyring), dirname(database)]) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }
  const keys = firstKey();
  writeKeyringFile(keyring, keys);
  print(`Made the keyring ${keyring} (mode 0600)`);
  const store = await openStore(config, 'init');
  try {
    await markMinting(new Keyring(keys).minting, undefined, { store, by: 'tessera init' });
    print(`Made the store ${database}`);
  } finally {
    await store.close();
  }
}

async function addFirstOnes({ integration, scope = '', identity }: InitFlags, workplace: Workplace): Promise<void> {
  if (integration !== undefined) {
    granted(await registerIntegration(integration, { scope }, workplace));
    print(`Registered ${integration} with the scope ${scope}`);
  }
  if (identity === undefined) return;
  const { password } = await obtainPassword({ generate: true }, workplace.random);
  const { id } = granted(await addIdentity({ userName: identity, password }, workplace));
  print(`Added ${identity} as ${id}`);
  print(`Password, shown this once: ${password.reveal()}`);
}

function sayNext({ listeners, publicUrl }: Config, { integration, identity }: InitFlags): void {
  const tls = listeners[0]?.tls;
  const steps = [
    ...(tls
      ? [`Put the server certificate for ${publicUrl} at ${tls.certificate}, its key at ${tls.key} (mode 0600).`]
      : []),
    'Back up the keyring, apart from the store: without it every grant ends.',
    ...(integration === undefined
      ? ["Register an integration:  tessera integration add orders-sync --scope 'orders:read'"]
      : []),
    ...(identity === undefined ? ['Add people:               tessera identity add ada'] : []),
    'Approve an authority:     tessera issuer add corp corp-ca.pem',
    'See what is missing:      tessera doctor',
    'Start:                    tessera serve',
  ];
  print('\nNext:');
  for (const [index, step] of steps.entries()) print(`  ${index + 1}. ${step}`);
}
