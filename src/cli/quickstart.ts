// `npm start`: everything for a first token, in a data folder beside the project. For trying, loudly so.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { Config } from '../config/schema.ts';
import { examples } from './options.ts';
import { quickstartWords } from './quickstart-words.ts';
import { configOf } from './workplace.ts';

const CLIENT_ID = 'quickstart';
const USER_NAME = 'ada';
const ISSUER_LABEL = 'DEV';
const SCOPE = 'orders:read,write;stock:read';

export function quickstartCommand(program: Command): void {
  program
    .command('quickstart')
    .description('make a data folder with everything for a first token, and serve it: for trying')
    .addHelpText('after', examples('tessera quickstart', 'tessera quickstart --set listeners.0.port=9443'))
    .action(async (_options: unknown, command: Command) => {
      const config = await configOf(command);
      const password = await prepare(config);
      const { runService } = await import('./run-service.ts');
      await runService({ ...config, log: { ...config.log, format: 'pretty' } }, 1, ([address = '']) => {
        const words = quickstartWords({
          address,
          publicUrl: config.publicUrl,
          folder: config.dataFolder,
          clientId: CLIENT_ID,
          userName: USER_NAME,
          password,
        });
        process.stdout.write(words);
      });
    });
}

/** Makes what is missing. The generated password is shown once: only its hash is kept. */
async function prepare(config: Config): Promise<string | undefined> {
  const { keyring } = config;
  if (keyring.from !== 'file' || existsSync(keyring.path)) return undefined;
  const { firstKey } = await import('../tokens/keyring.ts');
  const { writeKeyringFile } = await import('../tokens/keyring-file.ts');
  mkdirSync(config.dataFolder, { recursive: true, mode: 0o700 });
  const password = await fill(config, await writeCertificates(config.dataFolder));
  // Last: its presence says that all the rest is there.
  writeKeyringFile(keyring.path, firstKey());
  return password;
}

async function writeCertificates(folder: string): Promise<string> {
  const { makeDevelopmentAuthority } = await import('../pki/development-authority.ts');
  const { systemClock, systemRandom } = await import('../system.ts');
  const authority = makeDevelopmentAuthority(new Date(systemClock.milliseconds()), systemRandom);
  const made = {
    authority,
    server: authority.issueServer(['localhost', '127.0.0.1']),
    client: authority.issueClient(USER_NAME),
  };
  for (const [name, { certificate, key }] of Object.entries(made)) {
    writeFileSync(join(folder, `${name}.crt`), certificate);
    writeFileSync(join(folder, `${name}.key`), key, { mode: 0o600 });
  }
  return authority.certificate;
}

/** An integration, an identity that may use it, and the development authority as approved issuer. */
async function fill(config: Config, pem: string): Promise<string> {
  const { openStore } = await import('../open-store.ts');
  const { systemRandom: random } = await import('../system.ts');
  const { registerIntegration } = await import('../operations/admin/register-integration.ts');
  const { addIdentity } = await import('../operations/admin/add-identity.ts');
  const { approveIssuer } = await import('../operations/admin/approve-issuer.ts');
  const { Secret } = await import('../tokens/secret.ts');
  const store = await openStore(config, 'here');
  const ports = { store, by: 'quickstart', random };
  const password = random(15).toString('base64url');
  const revocation = { crl: 'off', ocsp: 'off', crlFiles: [], endGrants: true } as const;
  await registerIntegration(
    CLIENT_ID,
    { name: 'Quick start', description: 'Made by npm start, for trying.', vendor: 'Tessera', scope: SCOPE },
    ports,
  );
  await addIdentity({ userName: USER_NAME, password: new Secret(password) }, ports);
  await approveIssuer(
    {
      label: ISSUER_LABEL,
      pem,
      identitySources: ['common-name'],
      identities: 'directory',
      profile: 'strict',
      revocation,
    },
    ports,
  );
  await store.close();
  return password;
}
