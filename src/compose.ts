// Puts the service together from an open store, a keyring and the configuration.
import { readFileSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import manifest from '../package.json' with { type: 'json' };
import { settingsOf } from './config/load.ts';
import type { Config, Listener as ListenerConfig } from './config/schema.ts';
import { seconds } from './core/time.ts';
import { localDirectory } from './directory/local.ts';
import { Metrics } from './http/ops/metrics.ts';
import { RateLimit } from './http/rate-limit.ts';
import type { TlsFiles } from './http/tls.ts';
import type { Log } from './log/log.ts';
import { countEndingSoon } from './operations/ending-soon.ts';
import { byOneNode } from './operations/lease.ts';
import type { Clock, Ports } from './operations/ports.ts';
import { sweep } from './operations/sweep.ts';
import type { Look } from './pages/assets.ts';
import { CertificateJudge } from './pki/certificate-judge.ts';
import { writePem } from './pki/pem.ts';
import { followLists, followRevocations } from './serve/follow-lists.ts';
import { type Listener, makeListener, type ServiceParts } from './serve/listener.ts';
import { every, WatchedFiles } from './serve/watch.ts';
import { FollowedRegistry } from './store/registry.ts';
import type { Store } from './store/store.ts';
import { systemClock, systemRandom } from './system.ts';
import type { Keyring } from './tokens/keyring.ts';

export interface Service {
  /** The addresses it listens on, once it does. */
  listen(): Promise<readonly string[]>;
  /** Answers what is in flight, then lets go of everything. */
  stop(): Promise<void>;
}

const REGISTRY_EVERY_MS = 400; // a change is in force within a second
const FILES_EVERY_MS = 2_000;
const SWEEP_EVERY_MS = 60_000;
const SWEEPING = { about: 'lease: sweeping', lasts: seconds(50) };
const LISTS_EVERY_MS = 60_000;
const COUNT_EVERY_MS = 300_000;

/** `clock`: tests drive it; it must be the one the store was opened with. */
export async function composeService(
  config: Config,
  store: Store,
  keyring: Keyring,
  log: Log,
  clock: Clock = systemClock,
): Promise<Service> {
  const registry = new FollowedRegistry(store);
  await registry.refresh();
  const tellFault = (fault: unknown) => log.error({ fault: String(fault) }, 'fault in the background');
  const judge = new CertificateJudge({ fetch, now: () => clock.now() });
  const readLists = followLists(judge, registry, tellFault);
  readLists();
  const directory = await localDirectory(store);
  const ports: Ports = {
    store,
    registry,
    keyring,
    directory,
    settings: settingsOf(config),
    clock,
    random: systemRandom,
  };
  const parts = partsOf(config, ports, judge, log);
  const listeners = config.listeners.map((options) => openListener(options, parts, registry));
  const endRevoked = followRevocations(judge, ports, (grants) =>
    log.warn({ grants }, 'certificates revoked: grants ended'),
  );
  await endRevoked();

  const followRevoked = () => {
    readLists();
    return endRevoked();
  };
  const reload = async () => {
    for (const { reload } of listeners) reload();
  };
  const countGrants = async () => parts.metrics?.endingSoon(await countEndingSoon(ports, () => nextTurn()));
  void countGrants().catch(tellFault);
  const timers = [
    every(REGISTRY_EVERY_MS, async () => (await registry.refresh()) && reload(), tellFault),
    every(FILES_EVERY_MS, reload, tellFault),
    every(FILES_EVERY_MS, followRevoked, tellFault),
    every(SWEEP_EVERY_MS, () => byOneNode(SWEEPING, () => sweep(ports, () => nextTurn()), ports), tellFault),
    every(LISTS_EVERY_MS, () => judge.revocation.renewLists(), tellFault),
    every(COUNT_EVERY_MS, countGrants, tellFault),
  ];
  return {
    listen: () => Promise.all(listeners.map(({ listener }) => listener.listen())),
    stop: async () => {
      for (const stop of timers) stop();
      await Promise.all(listeners.map(({ listener }) => listener.drain()));
      await store.close();
    },
  };
}

function partsOf(config: Config, ports: Ports, judge: CertificateJudge, log: Log): ServiceParts {
  const { limits, proxies, authsvc, publicUrl } = config;
  const rate = ({ perMinute, burst }: { perMinute: number; burst: number }) =>
    new RateLimit({ burst, perSecond: perMinute / 60 }, () => ports.clock.milliseconds());
  return {
    ports,
    judge,
    log,
    publicUrl,
    version: manifest.version,
    metrics: config.metrics.enabled ? new Metrics() : undefined,
    limits: {
      headerBytes: limits.headerBytes,
      bodyBytes: limits.bodyBytes,
      headersTimeoutMs: limits.headersTimeout * 1000,
      requestTimeoutMs: limits.requestTimeout * 1000,
      idleTimeoutMs: limits.idleTimeout * 1000,
      stopTimeoutMs: limits.stopTimeout * 1000,
      connections: limits.connections,
      inFlight: limits.maxInFlight,
    },
    perAddress: rate(limits.requestsPerAddress),
    perIntegration: rate(limits.requestsPerIntegration),
    proxies: { addresses: proxies.addresses, header: proxies.clientCertificateHeader, headerName: proxies.headerName },
    authsvcMounts: authsvc.mounts,
    look: lookOf(config.pages),
    checks: readinessChecks(ports),
  };
}

function lookOf({ name, accent, logo }: Config['pages']): Look {
  if (logo === undefined) return { name, accent };
  const bytes = readFileSync(logo);
  return { name, accent, logo: { bytes, type: isPng(bytes) ? 'image/png' : 'image/svg+xml' } };
}

function isPng(bytes: Buffer): boolean {
  return bytes.subarray(1, 4).toString('latin1') === 'PNG';
}

/** A listener with the files it reads again when they, or the approved issuers, change. */
function openListener(
  { host, port, tls, clientCertificates, behindProxy, doors }: ListenerConfig,
  parts: ServiceParts,
  registry: FollowedRegistry,
): { listener: Listener; reload: () => void } {
  if (!tls) return { listener: makeListener({ host, port, behindProxy, doors }, parts), reload: () => undefined };
  const files = new WatchedFiles([tls.certificate, tls.key]);
  let [certificate, key] = files.readIfChanged() ?? [];
  let issuers = registry.issuers;
  const current = (): TlsFiles => ({
    certificate: certificate ?? '',
    key: key ?? '',
    clientCertificates,
    issuers: issuers.flatMap((issuer) => [issuer.certificate, ...issuer.intermediates]).map(writePem),
  });
  const listener = makeListener({ host, port, behindProxy, doors, tls: current() }, parts);
  const reload = () => {
    const changed = files.readIfChanged();
    if (!changed && issuers === registry.issuers) return;
    if (changed) [certificate, key] = changed;
    issuers = registry.issuers;
    listener.exchange(current());
  };
  return { listener, reload };
}

function readinessChecks({ store, keyring, clock }: Ports) {
  return [
    { name: 'store', check: async () => void (await store.now()) },
    { name: 'keys', check: async () => void keyring.minting },
    {
      name: 'clock',
      check: async () => {
        if (Math.abs((await store.now()) - clock.now()) > CLOCK_TOLERANCE)
          throw new Error('the clocks of node and store differ');
      },
    },
  ];
}

const CLOCK_TOLERANCE = 30;
