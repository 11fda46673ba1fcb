import { resolve } from 'node:path';
import { assertion } from '../../../../sdk/client/src/by/assertion.ts';
import { certificate } from '../../../../sdk/client/src/by/certificate.ts';
import { device } from '../../../../sdk/client/src/by/device.ts';
import { caOf } from '../../../../sdk/client/src/by/pem.ts';
import { stored } from '../../../../sdk/client/src/by/stored.ts';
import type { Way } from '../../../../sdk/client/src/by/way.ts';
import { send } from '../../../../sdk/client/src/door/send.ts';
import { defaultTokenFile } from '../../../../sdk/client/src/store/default-file.ts';
import { fileStore } from '../../../../sdk/client/src/store/file-store.ts';
import { type TokenSource, tokenSource } from '../../../../sdk/client/src/token-source.ts';
import {
  forgetProfile,
  loadProfile,
  type Profile,
  profileName,
  profileNames,
  saveProfile,
} from '../../caller/profile.ts';
import { runWithToken } from '../../caller/run-with-token.ts';
import { waitingScreen } from '../../caller/waiting-screen.ts';
import { CommandFailure } from '../../terminal/exit.ts';
import { printJson, printOnly, printRecord, printTable, remark, result } from '../../terminal/output.ts';

export interface ProfileFlag {
  readonly profile?: string;
}

export interface LoginFlags extends ProfileFlag, Partial<Omit<Profile, 'by' | 'loggedOut'>> {}

export async function login(flags: LoginFlags): Promise<void> {
  const name = profileName(flags.profile);
  const profile = profileFrom(flags, loadProfile(name));
  const screen = waitingScreen();
  const by = profile.by === 'device' ? device({ show: screen.show, scope: profile.scope }) : wayOf(name, profile);
  try {
    const { scope } = await sourceOf(name, profile, by, SOON_S).login({ signal: screen.signal });
    saveProfile(name, profile);
    screen.end();
    remark(`Logged in to ${profile.server} as ${profile.clientId}, for: ${scope}`);
    result({ profile: name, server: profile.server, clientId: profile.clientId, scope });
  } catch (error) {
    screen.end();
    if (screen.signal.aborted) throw new CommandFailure('refused', 'interrupted', 'Nothing was stored.');
    throw error;
  }
}

export async function printToken({ profile }: ProfileFlag): Promise<void> {
  const accessToken = await validToken(profile);
  printOnly(accessToken, { accessToken });
}

export async function whoami({ profile: flag, json }: ProfileFlag & { json?: true }): Promise<void> {
  const name = profileName(flag);
  const profile = loggedIn(name);
  const accessToken = await sourceOf(name, profile, storedBy(name, profile)).get();
  const tokens = await fileStore(fileOf(name, profile)).load();
  const shown = {
    profile: name,
    server: profile.server,
    clientId: profile.clientId,
    identity: await identityOf(profile, accessToken),
    scope: tokens?.scope,
    expires: timeOf(tokens?.expiresAt),
    refreshUntil: timeOf(tokens?.refreshUntil),
  };
  if (json) printJson(shown);
  else printRecord(shown);
}

const TIMEOUT_MS = 10_000;

/** Who the token belongs to, by Authorize/Verify. Undefined if the service does not say: it may serve that elsewhere, or be away. */
async function identityOf({ server, ca }: Profile, accessToken: string): Promise<string | undefined> {
  const sending = { bearer: accessToken, tls: { ca: ca && caOf(ca) }, timeoutMs: TIMEOUT_MS };
  const answer = await send(`${server}/authsvc/Authorize/Verify`, sending).catch(() => undefined);
  const identity = answer?.json?.['identity'];
  return typeof identity === 'string' ? identity : undefined;
}

export async function logout({ profile: flag }: ProfileFlag): Promise<void> {
  const name = profileName(flag);
  const profile = knownProfile(name);
  await sourceOf(name, profile, storedBy(name, profile)).revoke();
  saveProfile(name, { ...profile, loggedOut: true });
  remark('Logged out.');
  result({ profile: name });
}

export async function execute(words: readonly string[], { profile }: ProfileFlag): Promise<void> {
  process.exitCode = await runWithToken(words, await validToken(profile));
}

export async function listProfiles({ json }: { json?: true }): Promise<void> {
  const found = profileNames().map((name) => ({ name, ...knownProfile(name) }));
  if (json) printJson(found);
  else
    printTable(
      ['profile', 'server', 'client id', 'by', 'scope', 'state'],
      found.map((each) => [each.name, each.server, each.clientId, each.by, each.scope, each.loggedOut && 'logged out']),
    );
}

export async function removeProfile(name: string): Promise<void> {
  const profile = knownProfile(profileName(name));
  await sourceOf(name, profile, storedBy(name, profile)).revoke();
  forgetProfile(name);
  remark(`Removed ${name}.`);
  result({ profile: name });
}

/** The flags; without them, what the last login used. */
function profileFrom(flags: LoginFlags, before: Partial<Profile> | undefined): Profile {
  const { server, clientId, scope, ca } = { ...before, ...flags };
  if (!server || !clientId)
    throw new CommandFailure('usage', `${server ? '--client-id' : '--server'} is missing`, 'See: tessera login --help');
  if ((flags.certificate === undefined) !== (flags.key === undefined))
    throw new CommandFailure('usage', '--certificate and --key belong together', 'Give both.');
  if (flags.certificate !== undefined && flags.assertionFile !== undefined)
    throw new CommandFailure('usage', '--certificate and --assertion-file cannot be combined', 'Give one of them.');
  const full = (path: string | undefined) => (path === undefined ? undefined : resolve(path));
  const rest = { server: server.replace(/\/$/, ''), clientId, scope, ca: full(ca) };
  if (flags.certificate !== undefined)
    return { ...rest, by: 'certificate', certificate: full(flags.certificate), key: full(flags.key) };
  if (flags.assertionFile !== undefined) return { ...rest, by: 'assertion', assertionFile: full(flags.assertionFile) };
  // The way of the last login, unless this is another server.
  const isAgain = before?.server === rest.server && before.clientId === clientId;
  return isAgain ? { ...before, loggedOut: undefined, by: before.by ?? 'device', ...rest } : { ...rest, by: 'device' };
}

/** Never waits for a person; only `login` does. */
function wayOf(name: string, profile: Profile): Way {
  const { by, certificate: own = '', key = '', assertionFile = '', scope } = profile;
  if (by === 'certificate') return certificate({ certificate: own, key, scope });
  if (by === 'assertion') return assertion({ assertion: assertionFile, scope });
  return storedBy(name, profile);
}

/** The grant of the login, and never a new one. */
function storedBy(name: string, { certificate, key }: Profile): Way {
  const way = stored(certificate && key ? { certificate, key } : {});
  return { ...way, todo: `Do: tessera login${flagFor(name)}` };
}

async function validToken(flag: string | undefined): Promise<string> {
  const name = profileName(flag);
  const profile = loggedIn(name);
  return sourceOf(name, profile, wayOf(name, profile)).get();
}

/** Somebody is watching. */
const SOON_S = 5;

function sourceOf(name: string, profile: Profile, by: Way, timeoutSeconds?: number): TokenSource {
  const { server, clientId, ca } = profile;
  return tokenSource({ server, clientId, by, ca, profile: name, timeoutSeconds });
}

function fileOf(profile: string, { server, clientId }: Profile): string {
  return defaultTokenFile({ server, clientId, profile });
}

function knownProfile(name: string): Profile {
  const profile = loadProfile(name);
  if (profile) return profile;
  throw notLoggedIn(`${flagFor(name)} --server … --client-id …`);
}

function loggedIn(name: string): Profile {
  const profile = knownProfile(name);
  if (profile.loggedOut) throw notLoggedIn(flagFor(name));
  return profile;
}

function notLoggedIn(flags: string): CommandFailure {
  return new CommandFailure('login', 'you are not logged in', `Do: tessera login${flags}`);
}

function flagFor(name: string): string {
  return name === 'default' ? '' : ` --profile ${name}`;
}

function timeOf(seconds: number | undefined): string | undefined {
  return seconds === undefined ? undefined : new Date(seconds * 1000).toISOString().replace(/\.\d+Z$/, 'Z');
}
