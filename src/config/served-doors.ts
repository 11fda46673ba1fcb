// Which doors the listeners serve, and which of them something registered needs but cannot reach.
import { COMMAND_LINE, type Integration } from '../core/integration.ts';
import type { ApprovedIssuer } from '../core/issuer.ts';
import type { ResourceServer } from '../core/resource-server.ts';
import type { TokenIssuer } from '../core/token-issuer.ts';
import { DOOR_NAMES, USUAL_DOORS } from '../doors/doors.ts';
import { isSigned } from '../tokens/access-token.ts';
import { isLoopback } from './rules.ts';
import type { Config, Listener } from './schema.ts';

type DoorName = (typeof DOOR_NAMES)[number];
type Served = Pick<Config, 'listeners' | 'oauth' | 'proxies' | 'device' | 'directories'>;

/** What is enabled of each, except for integrations. */
export interface Registered {
  readonly integrations: readonly Integration[];
  readonly issuers: readonly Pick<ApprovedIssuer, 'label'>[];
  readonly resourceServers: readonly Pick<ResourceServer, 'id'>[];
  readonly tokenIssuers: readonly Pick<TokenIssuer, 'label'>[];
}

export interface Unserved {
  readonly about: string;
  readonly says: string;
  readonly todo: string;
}

export function serves({ doors }: Pick<Listener, 'doors'>, door: DoorName): boolean {
  return (doors ?? USUAL_DOORS).includes(door);
}

/** Of all listeners together. */
export function servedDoors({ listeners, oauth }: Pick<Config, 'listeners' | 'oauth'>): DoorName[] {
  const isOn = (door: DoorName) => door !== 'oauth' || oauth.enabled;
  return DOOR_NAMES.filter((door) => isOn(door) && listeners.some((listener) => serves(listener, door)));
}

/** In the TLS handshake. */
export function asksForCertificates({ tls, clientCertificates }: Listener): boolean {
  return tls !== undefined && clientCertificates !== 'off';
}

/** Of whoever can connect. Who forwards TCP to a loopback address, or calls it a proxy, is not seen. */
export function asksAnybody(listener: Listener): boolean {
  return asksForCertificates(listener) && !listener.behindProxy && !isLoopback(listener.host);
}

/** From proxies, on every listener: with TLS or without, whatever it asks for in the handshake. */
export function takesHeader({ clientCertificateHeader }: Config['proxies']): boolean {
  return clientCertificateHeader !== 'off';
}

/** What is registered in vain, each with the line that helps. A door may be missing on purpose if another node serves it. */
export function unservedDoors(config: Served, all: Registered): Unserved[] {
  const served = servedDoors(config);
  const { issuers, resourceServers, tokenIssuers } = all;
  const integrations = all.integrations.filter(({ enabled, clientId }) => enabled && clientId !== COMMAND_LINE);
  const registered = { integrations, issuers, resourceServers, tokenIssuers };
  const missing = Object.entries(NEEDS).flatMap(([door, needsOf]) => {
    const needs = served.includes(door as DoorName) ? [] : needsOf(registered, config);
    return needs.length === 0 ? [] : [unserved(door as DoorName, needs, config)];
  });
  return [...missing, ...certificatesUnasked(config, registered), ...guestsUnserved(config, registered)];
}

type NeedsOf = (registered: Registered, config: Served) => readonly string[];

const NEEDS: Partial<Record<DoorName, NeedsOf>> = {
  oauth: ({ integrations, resourceServers, tokenIssuers }) => [
    ...integrations.filter(needsOauth).map(({ clientId }) => `integration ${clientId}`),
    ...resourceServers.map(({ id }) => `resource server ${id}`),
    ...tokenIssuers.map(({ label }) => `token issuer ${label}`),
  ],
  pages: ({ integrations }, { device }) =>
    integrations
      .filter(({ flows }) => (device.enabled && flows.device) || flows.code)
      .map(({ clientId, flows }) => `integration ${clientId} (${flows.code ? 'authorization codes' : 'device flow'})`),
  ops: () => ['health checks and monitoring'],
  scim: (_, { directories }) =>
    directories.flatMap((one) => (one.kind === 'oidc' && one.scim ? [`directory ${one.label}`] : [])),
};

/** Only this door takes assertions and authorization codes, and publishes the keys of JWTs. */
function needsOauth({ flows, accessTokenFormat }: Integration): boolean {
  return flows.assertion === true || Boolean(flows.code) || isSigned(accessTokenFormat);
}

function unserved(door: DoorName, needs: readonly string[], { listeners, oauth }: Served): Unserved {
  const isOff = door === 'oauth' && !oauth.enabled;
  const says = `${isOff ? 'it is off' : 'no listener serves it'}, but it is needed by ${listed(needs)}`;
  return { about: `door ${door}`, says, todo: isOff ? 'Set oauth.enabled to true.' : howToServe(door, listeners) };
}

function howToServe(door: DoorName, listeners: readonly Listener[]): string {
  // Not beside other doors: a listener that names `ops` serves metrics to everybody who reaches it.
  if (door === 'ops') return 'Under listeners, add: - { host: 127.0.0.1, port: 9464, doors: [ops] }';
  const isForOthers = ({ doors }: Listener) => doors?.some((name) => name !== 'ops');
  const [best] = listeners.filter(isForOthers).sort((a, b) => Number(isPrivate(a)) - Number(isPrivate(b)));
  if (!best) return `Under listeners, add one that names ${door} under doors.`;
  const doors = DOOR_NAMES.filter((name) => name === door || best.doors?.includes(name));
  return `Under listeners.${listeners.indexOf(best)}, write: doors: [${doors.join(', ')}]`;
}

/** For monitoring or a proxy, rather than for callers. */
function isPrivate({ tls, doors }: Listener): boolean {
  return tls === undefined || doors?.includes('ops') === true;
}

function certificatesUnasked({ listeners, proxies }: Served, { integrations, issuers }: Registered): Unserved[] {
  const isForCallers = (listener: Listener) => serves(listener, 'authsvc') || serves(listener, 'oauth');
  const index = listeners.findIndex(isForCallers);
  const isUsed = index >= 0 && issuers.length > 0 && integrations.some(({ flows }) => flows.certificate);
  if (!isUsed || takesHeader(proxies) || listeners.filter(isForCallers).some(asksForCertificates)) return [];
  const labels = listed(issuers.map(({ label }) => `issuer ${label}`));
  const says = `no listener asks callers for them, and no proxy passes them on, but they are needed by ${labels}`;
  const todo = listeners[index]?.tls
    ? `Under listeners.${index}, write: clientCertificates: request`
    : 'Under proxies, name the addresses of the proxy and its clientCertificateHeader (docs/proxies.md), or give the listener tls.';
  return [{ about: 'client certificates', says, todo }];
}

function guestsUnserved({ oauth }: Served, { integrations }: Registered): Unserved[] {
  const { enabled, clientDocuments, guestIntegration: id } = oauth;
  const isServed = integrations.some(({ clientId, flows }) => clientId === id && flows.code);
  if (!enabled || clientDocuments.length === 0 || isServed) return [];
  const says = `oauth.clientDocuments allows hosts, but no enabled integration ${id} with authorization codes exists`;
  return [{ about: 'guests', says, todo: `Do: tessera integration add ${id} --scope … --code yes (docs/agents.md)` }];
}

const MOST_NAMED = 3;

function listed(names: readonly string[]): string {
  const more = names.length - MOST_NAMED;
  return names.slice(0, MOST_NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

/** Undefined if the oauth door is off. */
export function tokenEndpointOf({ publicUrl, oauth }: Pick<Config, 'publicUrl' | 'oauth'>): string | undefined {
  return oauth.enabled ? `${publicUrl}${oauth.mount}/token` : undefined;
}

/** By which callers connect to a listener. Undefined if only proxies or monitoring do: they may use another name. */
export function publicNameOf(
  { doors, publicUrl: own }: Pick<Listener, 'doors' | 'publicUrl'>,
  { publicUrl, proxies }: Pick<Config, 'publicUrl' | 'proxies'>,
): string | undefined {
  if (proxies.addresses.length > 0 || doors?.every((door) => door === 'ops')) return undefined;
  // IPv6 addresses have brackets in an URL.
  return new URL(own ?? publicUrl).hostname.replace(/^\[(.+)\]$/, '$1');
}
