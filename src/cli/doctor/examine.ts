import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { readKeys } from '../../config/keys.ts';
import { settingsOf } from '../../config/load.ts';
import { isLoopback } from '../../config/rules.ts';
import type { Config } from '../../config/schema.ts';
import { asksAnybody, asksForCertificates, unservedDoors } from '../../config/served-doors.ts';
import { formatDuration } from '../../core/duration.ts';
import { signingKeyOf } from '../../core/rules/signing-keys.ts';
import { openElsewhere } from '../../open-directory.ts';
import { checkKeyring } from '../../operations/admin/mac-keys.ts';
import { allPublishedKeys } from '../../operations/admin/signing-keys.ts';
import { shortenedLifetimes, wordsOnShortened } from '../../operations/upkeep/shortened-lifetimes.ts';
import { ASKS_ANYBODY, LACKS_INTERMEDIATES, seesIntermediates } from '../../serve/this-node.ts';
import { FollowedRegistry } from '../../store/registry.ts';
import type { Store } from '../../store/store.ts';
import { Keyring } from '../../tokens/keyring.ts';
import { examineServerCertificates } from './certificates.ts';
import { examineContents } from './contents.ts';
import { examineFile, examineFileSystem, examineFiles } from './files.ts';
import { bad, type Finding, good, poor } from './finding.ts';
import { examineStore, openForExamination } from './store.ts';

/** Runs every check, in the order in which an operator would fix things. */
export async function examine(config: Config): Promise<readonly Finding[]> {
  const findings = [
    good('configuration', 'in order'),
    ...examineLifetimes(config),
    ...(await examineHandshakes(config)),
    ...(await examineAddress(config)),
    ...examineFiles(config),
    ...examineFileSystem(config),
    ...examineServerCertificates(config),
    ...examineLogo(config),
    ...(await examineTracing(config)),
    ...(await examineDirectories(config)),
  ];
  const opened = await openForExamination(config);
  if ('verdict' in opened) return [...findings, opened];
  try {
    findings.push(...(await examineStore(config, opened)));
    if (findings.some(({ about, verdict }) => about === 'store' && verdict === 'bad')) return findings;
    const registry = await FollowedRegistry.load(opened);
    return [
      ...findings,
      ...(await examineKeyring(config, opened)),
      ...(await examineContents(opened, registry)),
      ...(await examineShortened(opened, registry, config)),
      ...unservedDoors(config, registry).map(({ about, says, todo }) => poor(about, says, todo)),
    ];
  } finally {
    await opened.close();
  }
}

/** Says what a start logs too. */
async function examineShortened(store: Store, registry: FollowedRegistry, config: Config): Promise<Finding[]> {
  const settings = settingsOf(config);
  const shortened = await shortenedLifetimes({ store, registry, settings });
  const { says, todo } = wordsOnShortened(shortened, settings);
  return shortened.length > 0 ? [poor('access tokens', says, todo)] : [];
}

/** What callers with certificates have to expect, in the words that the service logs at its start. */
export async function examineHandshakes(
  { listeners }: Pick<Config, 'listeners'>,
  sees = seesIntermediates,
): Promise<Finding[]> {
  const isBare = listeners.some(asksAnybody);
  const lacks = listeners.some(asksForCertificates) && !(await sees());
  return [
    ...(isBare ? [poor('client certificates', ASKS_ANYBODY.says, ASKS_ANYBODY.todo)] : []),
    ...(lacks ? [poor('Node', LACKS_INTERMEDIATES.says, LACKS_INTERMEDIATES.todo)] : []),
  ];
}

const PATIENCE_MS = 2000;

/** Checks that the name in publicUrl resolves, and that something listens on its port. */
export async function examineAddress(config: Config): Promise<Finding[]> {
  return [await examineName(config), ...examinePort(config)];
}

async function examineName({ publicUrl }: Config): Promise<Finding> {
  const { hostname } = new URL(publicUrl);
  if (isLoopback(hostname)) return good('publicUrl', `${publicUrl}, for this machine only`);
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return good('publicUrl', publicUrl);
  const late = sleep(PATIENCE_MS, undefined, { ref: false });
  const found = await Promise.race([lookup(hostname).catch(() => undefined), late]);
  if (found) return good('publicUrl', `${publicUrl} leads to ${found.address}`);
  return poor('publicUrl', `the name ${hostname} is not known here`, 'Check publicUrl, or add the name to the DNS.');
}

const USUAL_PORTS: Readonly<Record<string, number>> = { 'https:': 443, 'http:': 80 };

/** Behind a proxy the ports differ on purpose. */
function examinePort({ publicUrl, listeners, proxies }: Config): Finding[] {
  if (proxies.addresses.length > 0) return [];
  const { port, protocol } = new URL(publicUrl);
  const wanted = Number(port) || USUAL_PORTS[protocol];
  const served = listeners.filter(({ doors }) => doors === undefined || doors.some((door) => door !== 'ops'));
  if (served.some((listener) => listener.port === wanted || listener.port === 0)) return [];
  const ports = served.map((listener) => listener.port).join(', ');
  const todo = 'Add the port to publicUrl, change the port of a listener, or forward the one to the other.';
  return [poor('publicUrl', `leads to port ${wanted}, and the service listens on ${ports}`, todo)];
}

const REMEDY = 'Check tracing.endpoint and the collector. The service runs without it, but traces are lost.';

export async function examineTracing({ tracing: { endpoint } }: Config): Promise<Finding[]> {
  if (endpoint === undefined) return [];
  const { poster } = await import('../../tracing/post.ts');
  try {
    const { status } = await poster(endpoint, PATIENCE_MS)('{"resourceSpans":[]}');
    if (status >= 200 && status <= 299) return [good('tracing', `${endpoint} accepts traces`)];
    return [poor('tracing', `${endpoint} replies with status ${status}`, REMEDY)];
  } catch (fault) {
    const why = (fault as Error).message.replace(` ${new URL(endpoint).host}`, '');
    return [poor('tracing', `${endpoint} cannot be reached: ${why}`, REMEDY)];
  }
}

/** Looks at what can be seen of each directory. The service runs without them. */
async function examineDirectories({ directories }: Config): Promise<Finding[]> {
  const findings = directories.map(async (configured) => {
    const { elsewhere, label } = await openElsewhere(configured);
    const steps = await Array.fromAsync(elsewhere?.examine() ?? []);
    return steps.map(({ passed, words }) =>
      passed
        ? good(`directory ${label}`, words)
        : poor(`directory ${label}`, words, `Do: tessera directory check ${label}`),
    );
  });
  return (await Promise.all(findings)).flat();
}

/** Whether a service with this keyring would start on this store, and sign. */
async function examineKeyring(config: Config, store: Store): Promise<Finding[]> {
  try {
    const keys = readKeys(config, process.env);
    const keyring = await checkKeyring(keys && new Keyring(keys), store);
    const own = good('keyring', `has every key in use; key ${keyring.minting.id} mints`);
    return [own, ...(await examineSigning(keyring, store))];
  } catch (error) {
    return [bad('keyring', (error as Error).message, 'The service does not start until this is fixed.')];
  }
}

async function examineSigning(keyring: Keyring, store: Store): Promise<Finding[]> {
  const signing = signingKeyOf(await allPublishedKeys(store));
  if (!signing) return [];
  if (keyring.signingKey(signing.id)) return [good('signing key', `key ${signing.id} signs`)];
  const todo =
    'Copy the keyring from a node that has it. If it is lost: tessera keyring add --signing ES256, then mint --force.';
  return [bad('signing key', `the keyring lacks key ${signing.id}, which signs`, todo)];
}

/** In seconds. A node that was away for less, beside others, is not known to have been away. */
const SHORTEST_WINDOW = 13;

/** Lifetimes that do not do what they say. */
export function examineLifetimes({ tokens }: Config): Finding[] {
  const { accessTokenLifetime, grantLifetime, refreshRetryWindow: window } = tokens;
  const ends = `longer than tokens.grantLifetime: access tokens end with their grant, after ${formatDuration(grantLifetime)}`;
  const late = `within ${formatDuration(window)}, a caller may not get through to repeat a refresh; later it is reuse`;
  return [
    ...(accessTokenLifetime > grantLifetime ? [poor('tokens.accessTokenLifetime', ends, 'Choose a shorter one.')] : []),
    ...(window < SHORTEST_WINDOW ? [poor('tokens.refreshRetryWindow', late, 'Choose at least 13s.')] : []),
  ];
}

const KEYRING = 'keyring file';
const SET = 'Set it for the service; it may be set there already, and not here.';

/** The files and the variable that settings name, without opening the store. */
export function examineNamedFiles(config: Config): Finding[] {
  const keyring = keyringFinding(config);
  const isOpen = ({ about, verdict }: Finding) => about === KEYRING && verdict === 'poor';
  const files = examineFiles(config).filter((finding) => !(keyring && isOpen(finding)));
  const found = [...files, ...examineServerCertificates(config)];
  const isFound = found.some(({ about, verdict }) => about === KEYRING && verdict === 'bad');
  const named = [...found, ...(keyring && !isFound ? [keyring] : [])];
  return [...named.map(warnIfMissing), ...examineLogo(config)];
}

/** A missing file may come later. */
function warnIfMissing(finding: Finding): Finding {
  const says = finding.says.replace(/ is missing$/, ' is not there yet');
  return says === finding.says ? finding : { ...finding, verdict: 'poor', says };
}

/** Undefined if the keyring can be used, or its file is missing. */
function keyringFinding(config: Config): Finding | undefined {
  const { keyring } = config;
  try {
    const keys = readKeys(config, process.env);
    if (keys || keyring.from === 'file') return undefined;
    return poor('keyring', `the variable ${keyring.name} is not set`, SET);
  } catch (error) {
    const about = keyring.from === 'file' ? KEYRING : 'keyring';
    return bad(about, (error as Error).message, 'The service does not start until this is fixed.');
  }
}

function examineLogo({ pages: { logo } }: Config): Finding[] {
  return logo === undefined ? [] : examineFile('logo', logo, { forbidden: 0, why: '', todo: '' });
}
