// What the commands for callers do. They print notes as they work, and return what they result in.
import { resolve } from 'node:path';
import { assertion } from '../by/assertion.ts';
import { browser, hasBrowser } from '../by/browser.ts';
import { certificate } from '../by/certificate.ts';
import { device } from '../by/device.ts';
import { caOf } from '../by/pem.ts';
import { stored } from '../by/stored.ts';
import type { Way } from '../by/way.ts';
import { send } from '../door/send.ts';
import { TokenFailure } from '../failure.ts';
import { defaultTokenFile } from '../store/default-file.ts';
import { fileStore } from '../store/file-store.ts';
import { type TokenSource, tokenSource } from '../token-source.ts';
import { forgetProfile, loadProfile, type Profile, profileName, profileNames, saveProfile } from './profile.ts';
import { runWithToken } from './run-with-token.ts';
import { addressOf, inert, type Shown, type Terminal } from './terminal.ts';
import { type WaitingScreen, waitingScreen } from './waiting-screen.ts';

interface ProfileFlag {
  readonly profile?: string;
}

export interface LoginFlags extends ProfileFlag, Partial<Omit<Profile, 'by' | 'loggedOut'>> {
  /** Show a code, even if a browser is at hand. */
  readonly device?: boolean;
}

export async function login(terminal: Terminal, flags: LoginFlags): Promise<Shown> {
  const name = profileName(flags.profile);
  const profile = profileFrom(flags, loadProfile(name), terminal);
  const screen = waitingScreen(terminal);
  const by = profile.by === 'device' ? byPerson(profile, flags, screen) : wayOf(terminal, name, profile);
  try {
    const { scope } = await sourceOf(name, profile, by, SOON_S).login({ signal: screen.signal });
    saveProfile(name, profile);
    screen.end();
    terminal.note(`Logged in to ${profile.server} as ${profile.clientId}, for: ${scope}`);
    return { value: { profile: name, server: profile.server, clientId: profile.clientId, scope } };
  } catch (error) {
    screen.end();
    if (screen.signal.aborted) throw new TokenFailure('refused', 'interrupted', 'Nothing was stored.');
    throw error;
  }
}

/** With the browser of this computer if there is one, otherwise with a code for any browser. */
function byPerson({ scope }: Profile, { device: isForced }: LoginFlags, { show }: WaitingScreen): Way {
  const byCode = device({ show, scope });
  if (isForced || !hasBrowser()) return byCode;
  return browser({ scope, otherwise: byCode });
}

export async function token(terminal: Terminal, flags: ProfileFlag): Promise<Shown> {
  const accessToken = await validToken(terminal, flags);
  return { text: accessToken, value: { accessToken } };
}

export async function whoami(terminal: Terminal, flags: ProfileFlag): Promise<Shown> {
  const name = profileName(flags.profile);
  const profile = loggedIn(terminal, name);
  const accessToken = await sourceOf(name, profile, storedBy(terminal, name, profile)).get();
  const { server, clientId } = profile;
  const tokens = await fileStore(defaultTokenFile({ server, clientId, profile: name })).load();
  const value = {
    profile: name,
    server,
    clientId,
    identity: await identityOf(profile, accessToken),
    scope: tokens?.scope,
    expires: timeOf(tokens?.expiresAt),
    refreshUntil: timeOf(tokens?.refreshUntil),
  };
  return { text: inColumns(Object.entries(value).filter(([, each]) => each !== undefined)), value };
}

const TIMEOUT_MS = 10_000;

/** Who the token belongs to, by Authorize/Verify. Undefined if the service does not say: it may serve that elsewhere, or be away. */
async function identityOf({ server, ca }: Profile, accessToken: string): Promise<string | undefined> {
  const sending = { bearer: accessToken, tls: { ca: ca && caOf(ca) }, timeoutMs: TIMEOUT_MS };
  const answer = await send(`${server}/authsvc/Authorize/Verify`, sending).catch(() => undefined);
  const identity = answer?.json?.['identity'];
  return typeof identity === 'string' ? identity : undefined;
}

export async function logout(terminal: Terminal, flags: ProfileFlag): Promise<Shown> {
  const name = profileName(flags.profile);
  const profile = await endGrant(terminal, name);
  saveProfile(name, { ...profile, loggedOut: true });
  terminal.note('Logged out.');
  return { value: { profile: name } };
}

/** Ends with the exit code of the program. */
export async function execute(terminal: Terminal, flags: ProfileFlag, words: readonly string[]): Promise<Shown> {
  process.exitCode = await runWithToken(terminal, words, await validToken(terminal, flags));
  return {};
}

export async function listProfiles(terminal: Terminal): Promise<Shown> {
  const value = profileNames().map((name) => ({ name, ...knownProfile(terminal, name) }));
  const rows = value.map((each) => [
    each.name,
    each.server,
    each.clientId,
    each.by,
    each.scope,
    each.loggedOut && 'logged out',
  ]);
  const table = inColumns([['PROFILE', 'SERVER', 'CLIENT ID', 'BY', 'SCOPE', 'STATE'], ...rows]);
  return { text: rows.length === 0 ? `${table}\n(none)` : table, value };
}

export async function removeProfile(terminal: Terminal, name: string): Promise<Shown> {
  await endGrant(terminal, profileName(name));
  forgetProfile(name);
  terminal.note(`Removed ${name}.`);
  return { value: { profile: name } };
}

async function endGrant(terminal: Terminal, name: string): Promise<Profile> {
  const profile = knownProfile(terminal, name);
  await sourceOf(name, profile, storedBy(terminal, name, profile)).revoke();
  return profile;
}

/** The flags; without them, what the last login used. */
function profileFrom(flags: LoginFlags, before: Partial<Profile> | undefined, { program }: Terminal): Profile {
  const { server: typed, clientId } = { ...before, ...flags };
  if (!typed || !clientId)
    throw new TokenFailure('usage', `${typed ? '--client-id' : '--server'} is missing`, `See: ${program} login --help`);
  if ((flags.certificate === undefined) !== (flags.key === undefined))
    throw new TokenFailure('usage', '--certificate and --key belong together', 'Give both.');
  if (flags.certificate !== undefined && flags.assertionFile !== undefined)
    throw new TokenFailure('usage', '--certificate and --assertion-file cannot be combined', 'Give one of them.');
  const full = (path: string | undefined) => (path === undefined ? undefined : resolve(path));
  const server = addressOf(typed);
  const kept = keptFor(server, clientId, before);
  const { scope, ca } = { ...kept, ...flags };
  const rest = { server, clientId, scope, ca: full(ca) };
  if (flags.certificate !== undefined)
    return { ...rest, by: 'certificate', certificate: full(flags.certificate), key: full(flags.key) };
  if (flags.assertionFile !== undefined) return { ...rest, by: 'assertion', assertionFile: full(flags.assertionFile) };
  return flags.device || !kept.by ? { ...rest, by: 'device' } : { ...kept, loggedOut: undefined, by: kept.by, ...rest };
}

/** Of the last login: the CA belongs to its server, everything else to its integration there. */
function keptFor(server: string, clientId: string, before: Partial<Profile> = {}): Partial<Profile> {
  if (before.server !== server) return {};
  return before.clientId === clientId ? before : { ca: before.ca };
}

/** Never waits for a person; only `login` does. */
function wayOf(terminal: Terminal, name: string, profile: Profile): Way {
  const { by, certificate: own = '', key = '', assertionFile = '', scope } = profile;
  if (by === 'certificate') return certificate({ certificate: own, key, scope });
  if (by === 'assertion') return assertion({ assertion: assertionFile, scope });
  return storedBy(terminal, name, profile);
}

/** The grant of the login, and never a new one. */
function storedBy({ program }: Terminal, name: string, { certificate, key }: Profile): Way {
  const way = stored(certificate && key ? { certificate, key } : {});
  return { ...way, todo: `Do: ${program} login${flagFor(name)}` };
}

export async function currentLogin(terminal: Terminal, flags: ProfileFlag) {
  const { server, ca, certificate: own, key } = loggedIn(terminal, profileName(flags.profile));
  return { server, ca, certificate: own, key, accessToken: await validToken(terminal, flags) };
}

async function validToken(terminal: Terminal, flags: ProfileFlag): Promise<string> {
  const name = profileName(flags.profile);
  const profile = loggedIn(terminal, name);
  return sourceOf(name, profile, wayOf(terminal, name, profile)).get();
}

/** Somebody is watching. */
const SOON_S = 5;

function sourceOf(name: string, profile: Profile, by: Way, timeoutSeconds?: number): TokenSource {
  const { server, clientId, ca } = profile;
  return tokenSource({ server, clientId, by, ca, profile: name, timeoutSeconds });
}

function knownProfile(terminal: Terminal, name: string): Profile {
  const profile = loadProfile(name);
  if (profile) return profile;
  throw notLoggedIn(terminal, `${flagFor(name)} --server … --client-id …`);
}

function loggedIn(terminal: Terminal, name: string): Profile {
  const profile = knownProfile(terminal, name);
  if (profile.loggedOut) throw notLoggedIn(terminal, flagFor(name));
  return profile;
}

function notLoggedIn({ program }: Terminal, flags: string): TokenFailure {
  return new TokenFailure('login-needed', 'you are not logged in', `Do: ${program} login${flags}`);
}

function flagFor(name: string): string {
  return name === 'default' ? '' : ` --profile ${name}`;
}

function timeOf(seconds: number | undefined): string | undefined {
  return seconds === undefined ? undefined : new Date(seconds * 1000).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** Lines with aligned columns. An empty cell is shown as a dash, and nothing that controls a terminal is printed. */
function inColumns(rows: readonly (readonly (string | undefined)[])[]): string {
  const cells = rows.map((row) => row.map((cell) => inert(cell || '-').replaceAll(/[\n\t]/g, '?')));
  const widths = (cells[0] ?? []).map((_, at) => Math.max(...cells.map((row) => row[at]?.length ?? 0)));
  return cells
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
