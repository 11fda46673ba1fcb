// `npm start`: everything for a first token, in a data folder beside the project. For trying, loudly so.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Command } from 'commander';
import type { Config } from '../../config/schema.ts';
import type { Secret } from '../../tokens/secret.ts';
import { CommandFailure } from '../terminal/exit.ts';
import { examples } from '../terminal/options.ts';
import { obtainPassword } from '../terminal/password.ts';
import { atWorkplace, configOf } from '../terminal/workplace.ts';
import { FOR_OWNER, FOR_READERS, writeNewFile } from '../terminal/write-file.ts';
import { quickstartWords } from './words.ts';

const CLIENT_ID = 'quickstart';
const USER_NAME = 'ada';
const INTEGRATION = {
  name: 'Quick start',
  description: 'Made by npm start, for trying.',
  vendor: 'Tessera',
  scope: 'orders:read,write;stock:read',
};
const ISSUER = {
  label: 'DEV',
  identitySources: ['common-name'],
  identities: 'directory',
  profile: 'strict',
  revocation: { crl: 'off', ocsp: 'off', crlFiles: [], endGrants: true },
} as const;

export function quickstartCommand(program: Command): void {
  program
    .command('quickstart')
    .description('make a data folder with everything for a first token, and serve it: for trying')
    .addHelpText('after', examples('tessera quickstart', 'tessera quickstart --set listeners.0.port=9443'))
    .action(async (_options: unknown, command: Command) => {
      refuseInstallation();
      const config = await configOf(command);
      const password = await prepare(config);
      // Before anything can go wrong with the port: it is shown this once.
      if (password)
        process.stdout.write(`\nMade ${config.dataFolder}. Password of ${USER_NAME}, shown this once: ${password}\n`);
      // For trying, a month later too: nobody is asked about the clock.
      const { acceptClock } = await import('../../operations/upkeep/timekeeper.ts');
      await atWorkplace(command, (workplace) => acceptClock(workplace));
      const { runService } = await import('../run-service.ts');
      await runService({ ...config, log: { ...config.log, format: 'pretty' } }, 1, () => {
        const words = quickstartWords({
          publicUrl: config.publicUrl,
          folder: config.dataFolder,
          clientId: CLIENT_ID,
          userName: USER_NAME,
        });
        process.stdout.write(words);
      });
    });
}

/** What an operator has set up is not for trying, and the words of the quick start would be false there. */
function refuseInstallation(): void {
  if (!existsSync('tessera.yaml')) return;
  const todo = 'Start it with: npm run tessera -- serve';
  throw new CommandFailure('configuration', 'there is a tessera.yaml here: this is no place for trying', todo);
}

/**
 * Makes the data folder where there is none: beside, then renamed, so that it is there whole or not at all. The generated
 * password is shown once: only its hash is kept.
 */
async function prepare(config: Config): Promise<string | undefined> {
  const { dataFolder, store, keyring } = config;
  if (
    store.kind !== 'sqlite' ||
    keyring.from !== 'file' ||
    ![store.path, keyring.path].every((path) => dirname(path) === dataFolder)
  ) {
    throw new CommandFailure(
      'configuration',
      'the quick start keeps everything in its data folder',
      'For other places: tessera init',
    );
  }
  if (existsSync(keyring.path) && existsSync(store.path)) return undefined;
  if (existsSync(dataFolder) && readdirSync(dataFolder).length > 0) {
    throw new CommandFailure(
      'keyring',
      `${dataFolder} lacks its keyring or its database`,
      'Restore it, or delete the folder to begin again.',
    );
  }
  const unfinished = `${dataFolder}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true, mode: 0o700 });
  const password = await fill(join(unfinished, basename(store.path)), await writeCertificates(unfinished));
  const { firstKey } = await import('../../tokens/keyring.ts');
  const { writeKeyringFile } = await import('../../tokens/keyring-file.ts');
  writeKeyringFile(join(unfinished, basename(keyring.path)), firstKey());
  renameSync(unfinished, dataFolder);
  return password.reveal();
}

async function writeCertificates(folder: string): Promise<string> {
  const { makeDevelopmentAuthority } = await import('../../pki/development-authority.ts');
  const { systemClock, systemRandom } = await import('../../system.ts');
  const authority = makeDevelopmentAuthority(new Date(systemClock.milliseconds()), systemRandom);
  const made = {
    authority,
    server: authority.issueServer(['localhost', '127.0.0.1']),
    client: authority.issueClient(USER_NAME),
  };
  for (const [name, { certificate, key }] of Object.entries(made)) {
    writeNewFile(join(folder, `${name}.crt`), certificate, FOR_READERS);
    writeNewFile(join(folder, `${name}.key`), key, FOR_OWNER);
  }
  return authority.certificate;
}

/** An integration, an identity that may use it, and the development authority as approved issuer. */
async function fill(path: string, pem: string): Promise<Secret> {
  const { openStore } = await import('../../open-store.ts');
  const { systemRandom: random } = await import('../../system.ts');
  const { registerIntegration } = await import('../../operations/admin/register-integration.ts');
  const { addIdentity } = await import('../../operations/admin/add-identity.ts');
  const { approveIssuer } = await import('../../operations/admin/approve-issuer.ts');
  const { granted } = await import('../terminal/wording.ts');
  const store = await openStore({ store: { kind: 'sqlite', path } }, 'init');
  try {
    const ports = { store, by: 'quickstart', random };
    const { password } = await obtainPassword({ generate: true }, random);
    granted(await registerIntegration(CLIENT_ID, INTEGRATION, ports));
    granted(await addIdentity({ userName: USER_NAME, password }, ports));
    granted(await approveIssuer({ ...ISSUER, pem }, ports));
    return password;
  } finally {
    await store.close();
  }
}
