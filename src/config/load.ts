import { dirname, resolve } from 'node:path';
import type { AllowedHost } from '../core/client-document.ts';
import type { Settings } from '../core/settings.ts';
import { type ConfigFile, findConfigFile, readConfigFile } from './file.ts';
import { type Layered, layer, parsePath } from './layers.ts';
import { ConfigFault, type Mistake } from './mistake.ts';
import { absolute, type Node, type Reading, readNode } from './read.ts';
import { brokenRules } from './rules.ts';
import { CONFIG_SCHEMA, type Config, type ReadConfig } from './schema.ts';

export interface ConfigSources {
  /** The file of `--config`. If absent: the file that TESSERA_CONFIG names, else tessera.yaml in the working folder. */
  readonly file?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `path=value`, as given with `--set`; the last one wins. */
  readonly sets?: readonly string[];
}

/** Throws a ConfigFault that lists every mistake. */
export function loadConfig({ file: named, env, sets = [] }: ConfigSources): Config {
  const path = findConfigFile(named ?? (env['TESSERA_CONFIG'] || undefined));
  const file = path === undefined ? undefined : readConfigFile(path);
  const layered = layer(CONFIG_SCHEMA as Node, file, env, sets);
  const reading: Reading = { folders: foldersOf(layered.tree, path), mistakes: [...layered.mistakes] };
  const config = readNode(CONFIG_SCHEMA as Node, layered.tree, [], reading) as ReadConfig;
  // Rules between settings are checked only if every single setting is valid.
  const mistakes = reading.mistakes.length > 0 ? reading.mistakes : brokenRules(config);
  if (mistakes.length > 0) throw new ConfigFault(mistakes.map((mistake) => withSource(mistake, layered, file)));
  return deepFreeze({ ...config, publicUrl: config.publicUrl ?? loopbackUrl(config) });
}

function foldersOf({ dataFolder }: Record<string, unknown>, path: string | undefined) {
  const base = path === undefined ? process.cwd() : dirname(path);
  const data = typeof dataFolder === 'string' ? dataFolder : './data';
  return { base, data: absolute(data, { base, data: resolve(base) }) };
}

/** Adds the place of the wrong value: a file and line, a variable or a flag. */
function withSource(mistake: Mistake, { sources }: Layered, file: ConfigFile | undefined): Mistake {
  if (mistake.source !== undefined) return mistake;
  const path = parsePath(mistake.path);
  for (let length = path.length; length > 0; length--) {
    const source = sources.get(path.slice(0, length).join('.'));
    if (source !== undefined) return { ...mistake, source };
  }
  return file ? { ...mistake, source: file.lineOf(path) } : mistake;
}

function loopbackUrl({ listeners: [first] }: ReadConfig): string {
  const port = first?.port ?? 8443;
  return `${first?.tls ? 'https' : 'http'}://localhost:${port}`;
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const inner of Object.values(value)) deepFreeze(inner);
  return Object.freeze(value);
}

/** The settings that rules depend on. Durations pass through in seconds, as decoded from the file or as the rule's default. */
export function settingsOf({ tokens, device, signIn, events, oauth }: Config): Settings {
  const { accessTokenOverlap, ...lifetimes } = tokens;
  return {
    ...lifetimes,
    ...(accessTokenOverlap !== undefined && { accessTokenOverlap }),
    deviceFlow: device.enabled,
    deviceCodeLifetime: device.codeLifetime,
    pollInterval: device.pollInterval,
    wrongUserCodes: device.wrongUserCodes,
    failedSignInsPerDeviceCode: device.failedSignIns,
    passwords: signIn.passwords,
    failedSignInsPerIdentity: signIn.failedPerIdentity,
    failedSignInsPerAddress: signIn.failedPerAddress,
    signInWindow: signIn.window,
    knownBrowserLifetime: signIn.knownBrowserLifetime,
    sessionIdle: signIn.sessionIdle,
    sessionLifetime: signIn.sessionLifetime,
    ...(oauth.enabled &&
      oauth.clientDocuments.length > 0 && {
        clientDocuments: { hosts: oauth.clientDocuments.map(allowedHost), integration: oauth.guestIntegration },
      }),
    eventRetention: events.retention,
    refreshesLogged: events.refreshes,
  };
}

function allowedHost(entry: Config['oauth']['clientDocuments'][number]): AllowedHost {
  return typeof entry === 'string' ? { host: entry, redirects: 'own' } : entry;
}
