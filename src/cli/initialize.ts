// `tessera init`: the production version of a first start. Everything is checked before anything is written.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import { loadConfig } from '../config/load.ts';
import type { Config } from '../config/schema.ts';
import { addIdentity } from '../operations/admin/add-identity.ts';
import { draftedIntegration } from '../operations/admin/integration-draft.ts';
import { markMinting } from '../operations/admin/mark-minting.ts';
import { registerIntegration } from '../operations/admin/register-integration.ts';
import { firstKey, Keyring } from '../tokens/keyring.ts';
import { writeKeyringFile } from '../tokens/keyring-file.ts';
import { CommandFailure } from './exit.ts';
import type { InitFlags } from './init.ts';
import { configText } from './init-text.ts';
import { print } from './output.ts';
import { obtainPassword } from './password.ts';
import { granted } from './wording.ts';
import { atWorkplace, type Workplace } from './workplace.ts';

export async function initialize(flags: InitFlags, command: Command): Promise<void> {
  const { config: named = 'tessera.yaml', set: sets } = command.optsWithGlobals<{ config?: string; set: string[] }>();
  const file = resolve(named);
  refuseToOverwrite('configuration', file);
  checkFirstIntegration(flags);
  const config = writeConfig(file, flags, sets);
  await makeKeyringAndStore(config, file);
  command.setOptionValue('config', file);
  await atWorkplace(command, (workplace) => addFirstOnes(flags, workplace));
  sayNext(config, file, flags);
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

/** Written aside of validation by the schema itself: a configuration that init writes must load. */
function writeConfig(file: string, flags: InitFlags, sets: readonly string[]): Config {
  mkdirSync(dirname(file), { recursive: true });
  const env = { ...process.env, TESSERA_CONFIG: undefined };
  const wanted = [
    ...(flags.publicUrl === undefined ? [] : [`publicUrl=${flags.publicUrl}`]),
    `dataFolder=${resolve(dirname(file), flags.dataFolder)}`,
  ];
  const { keyring, store } = loadConfig({ env, sets: [...wanted, ...sets] });
  if (keyring.from === 'file') refuseToOverwrite('keyring', keyring.path);
  if (store.kind === 'sqlite') refuseToOverwrite('store', store.path);
  writeFileSync(file, configText(flags), { flag: 'wx', mode: 0o644 });
  return loadConfig({ file, env, sets });
}

async function makeKeyringAndStore(config: Config, file: string): Promise<void> {
  const { keyring, store: address, dataFolder } = config;
  if (keyring.from !== 'file' || address.kind !== 'sqlite') {
    throw new CommandFailure(
      'configuration',
      `init makes a keyring file and a SQLite store; ${file} names others`,
      'Unset them for init.',
    );
  }
  for (const folder of [dataFolder, dirname(keyring.path), dirname(address.path)])
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  const keys = firstKey();
  writeKeyringFile(keyring.path, keys);
  const { openSqlite } = await import('./workplace.ts');
  const store = await openSqlite(address.path);
  try {
    await markMinting(new Keyring(keys).minting, undefined, { store, by: 'tessera init' });
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

function sayNext(config: Config, file: string, { integration, identity }: InitFlags): void {
  const { keyring, store, listeners, publicUrl } = config;
  const tls = listeners[0]?.tls;
  const steps = [
    ...(tls
      ? [`put the server certificate for ${publicUrl} at ${tls.certificate}, its key at ${tls.key} (mode 0600)`]
      : []),
    'back up the keyring, apart from the store: without it every grant ends',
    ...(integration === undefined
      ? ["register an integration:   tessera integration add orders-sync --scope 'orders:read'"]
      : []),
    ...(identity === undefined ? ['add people:                 tessera identity add ada'] : []),
    'approve an authority:       tessera issuer add corp corp-ca.pem',
    'see what is missing:        tessera doctor',
    'start:                      tessera serve',
  ];
  print(`Wrote ${file}`);
  if (keyring.from === 'file') print(`Made the keyring ${keyring.path} (mode 0600)`);
  if (store.kind === 'sqlite') print(`Made the store ${store.path}`);
  print('\nNext:');
  for (const [index, step] of steps.entries()) print(`  ${index + 1}. ${step}`);
}
