// `npm start` and `tessera quickstart`: a data folder with everything for a first token. For trials only, and it says so.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Command } from 'commander';
import { isLoopback } from '../../config/rules.ts';
import type { Config } from '../../config/schema.ts';
import { storeFile } from '../../config/store-address.ts';
import { accept } from '../../core/outcome.ts';
import { OPERATORS } from '../../core/rules/operator.ts';
import { DOOR_NAMES } from '../../doors/doors.ts';
import { withKeyring } from '../../open-keyring.ts';
import { openStore, sqliteCopies, storeAt } from '../../open-store.ts';
import { make } from '../../operations/admin/acts/work/kinds.ts';
import { acceptClock } from '../../operations/admin/check-clock.ts';
import { addIdentity, inviteToPasskey } from '../../operations/admin/identities.ts';
import { addSigningKeyTo, publishKeys } from '../../operations/admin/signing-keys.ts';
import { makeDevelopmentAuthority } from '../../pki/development-authority.ts';
import { runService } from '../../run-service.ts';
import { systemClock, systemRandom } from '../../system.ts';
import { firstKey, Keyring } from '../../tokens/keyring.ts';
import { writeKeyringFile } from '../../tokens/keyring-file.ts';
import { registerCommandLine } from '../init/first-registrations.ts';
import { CommandFailure } from '../terminal/exit.ts';
import { FOR_OWNER, FOR_READERS, removingAfter, writeNewFile } from '../terminal/files.ts';
import { obtainPassword } from '../terminal/input.ts';
import { TESSERA } from '../terminal/output.ts';
import { accepted } from '../terminal/wording.ts';
import { atWorkplace, configOf, type Workplace } from '../terminal/workplace.ts';
import { type MadeSecrets, quickstartWords, secretWords, writeFlows } from './flows.ts';

const CLIENT_ID = 'quickstart';
const JWT_CLIENT_ID = 'quickstart-jwt';
const USER_NAME = 'ada';
const INTEGRATION = {
  name: 'Quick start',
  description: 'Made by the quick start, for trying.',
  vendor: 'Tessera',
  scope: 'orders:read,write;stock:read',
};
const ISSUER_LABEL = 'DEV';
const ISSUER = {
  identitySources: ['common-name'],
  identities: 'directory',
  // Certificates that plain `openssl x509 -req` makes are accepted, so that people can try their own.
  profile: 'rfc5280',
  revocation: { crl: 'off', ocsp: 'off', crlFiles: [], endGrants: true },
};

export async function quickstart(command: Command): Promise<void> {
  refuseInstallation();
  const config = withEveryDoor(await configOf(command));
  let made = await prepare(config);
  // A trial may be resumed a month later: do not ask about the clock.
  await atWorkplace(command, acceptClock);
  await atWorkplace(command, ensureJwtIntegration);
  await atWorkplace(command, registerCommandLine);
  const serving = runService({ ...config, log: { ...config.log, format: 'pretty' } }, 1, () => {
    const [first] = config.authsvc.mounts;
    const { publicUrl, oauth, dataFolder: folder } = config;
    const facts = { publicUrl, mount: first?.path ?? '', oauthMount: oauth.enabled ? oauth.mount : undefined, folder };
    const names = { clientId: CLIENT_ID, jwtClientId: JWT_CLIENT_ID, userName: USER_NAME };
    writeFlows({ ...facts, ...names });
    process.stdout.write(quickstartWords({ ...facts, ...names }, made));
    made = undefined;
  });
  // If the port could not be opened: these are shown only once.
  await serving.finally(() => process.stdout.write(secretWords(USER_NAME, made)));
}

/** A trial shows everything that there is; administration over HTTP on this machine only. */
function withEveryDoor(config: Config): Config {
  const listeners = config.listeners.map((listener) => ({
    ...listener,
    doors: listener.doors ?? DOOR_NAMES.filter((door) => door !== 'admin' || isLoopback(listener.host)),
  }));
  return { ...config, listeners };
}

/** An installation is not for trials, and the printed commands would be wrong for it. */
function refuseInstallation(): void {
  if (!existsSync('tessera.yaml')) return;
  const todo = `Start it with: ${TESSERA} serve. To go on with a trial, move that file away.`;
  throw new CommandFailure('configuration', 'there is a tessera.yaml here, so this is not a trial folder', todo);
}

/** Made under another name, then renamed: complete or absent. Returns the secrets, of which only hashes are stored. */
async function prepare(config: Config): Promise<MadeSecrets | undefined> {
  const { dataFolder, keyring } = config;
  const { file } = storeAt(config);
  const isElsewhere = (path: string) => dirname(path) !== dataFolder;
  if (file === undefined || keyring.from !== 'file' || [file, keyring.path].some(isElsewhere)) {
    const what = 'the quick start keeps everything in its data folder';
    throw new CommandFailure('configuration', what, 'For other places: tessera init');
  }
  const paths = [keyring.path, file];
  if (paths.every(existsSync)) return undefined;
  mkdirSync(dirname(dataFolder), { recursive: true });
  return alone(dataFolder, async () => {
    const missing = paths.filter((path) => !existsSync(path)).map((path) => basename(path));
    if (missing.length === 0) return undefined; // another start has made it meanwhile
    if (existsSync(dataFolder) && readdirSync(dataFolder).length > 0) {
      const todo = 'Restore what is missing, or delete the folder to begin again.';
      throw new CommandFailure('keyring', `${dataFolder} lacks ${missing.join(' and ')}`, todo);
    }
    const unfinished = `${dataFolder}.unfinished`;
    rmSync(unfinished, { recursive: true, force: true });
    mkdirSync(unfinished, { mode: 0o700 });
    const pem = await writeCertificates(unfinished);
    const made = await fill(join(unfinished, basename(file)), pem, config.publicUrl);
    writeKeyringFile(join(unfinished, basename(keyring.path)), firstKey());
    renameSync(unfinished, dataFolder);
    return made;
  });
}

/** Two starts at once would mix their certificates and registrations. */
async function alone<T>(dataFolder: string, work: () => Promise<T>): Promise<T> {
  const path = `${dataFolder}.lock`;
  const { lockFile } = await sqliteCopies();
  const lock = lockFile(path);
  if (!lock) {
    const todo = 'Use that one. If it fails, start again.';
    throw new CommandFailure('refused', `another start is under way: it makes ${dataFolder}`, todo);
  }
  try {
    return await removingAfter([path], work);
  } finally {
    lock.release();
  }
}

async function writeCertificates(folder: string): Promise<string> {
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
async function fill(path: string, pem: string, issuer: string): Promise<MadeSecrets> {
  const store = await openStore({ store: storeFile(path) }, 'init');
  try {
    const ports = { store, by: { as: 'service', why: 'quickstart' } as const, random: systemRandom, issuer };
    const { password } = await obtainPassword({ generate: true });
    accepted(await make('integrations', CLIENT_ID, INTEGRATION, ports));
    accepted(await addIdentity({ userName: USER_NAME, password, groups: [OPERATORS] }, ports));
    accepted(await make('issuers', ISSUER_LABEL, { ...ISSUER, pem }, ports));
    const { invitation } = accepted(await inviteToPasskey(USER_NAME, ports));
    return { password: password.reveal(), invitation };
  } finally {
    await store.close();
  }
}

/** A signing key and an integration whose access tokens are JWTs. Folders of earlier releases have neither. */
async function ensureJwtIntegration(workplace: Workplace): Promise<void> {
  accepted(
    await withKeyring<unknown>(workplace, async ({ keys, storeKeys }) => {
      if (new Keyring(keys).signingKeys.length === 0)
        return addSigningKeyTo(keys, 'ES256', { ...workplace, storeKeys });
      return accept(await publishKeys(keys, workplace));
    }),
  );
  const made = await make('integrations', JWT_CLIENT_ID, { ...INTEGRATION, accessTokenFormat: 'jwt' }, workplace);
  if (!made.ok && made.refusal.reason !== 'integration-exists') accepted(made);
}
