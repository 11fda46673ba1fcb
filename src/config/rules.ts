// Rules between settings, each with the message for the operator.

import { OWNED_SEGMENTS } from '../doors/doors.ts';
import type { Mistake } from './mistake.ts';
import type { Listener, ReadConfig } from './schema.ts';

type Rule = (config: ReadConfig) => readonly Mistake[];

export function brokenRules(config: ReadConfig): Mistake[] {
  return Object.values(RULES).flatMap((rule) => rule(config));
}

const RULES: Readonly<Record<string, Rule>> = {
  publicUrlIsGiven: ({ publicUrl, listeners }) => {
    const open = listeners.find(({ host }) => !isLoopback(host));
    if (publicUrl !== undefined || !open) return [];
    const problem = `missing; it is required because a listener is on ${open.host}, which is not loopback`;
    return [{ path: 'publicUrl', problem, example: 'publicUrl: https://tokens.example.com' }];
  },
  publicUrlIsSafe: ({ publicUrl, listeners }) => {
    const urls = new Map([['publicUrl', publicUrl]]);
    for (const [index, listener] of listeners.entries()) urls.set(`listeners.${index}.publicUrl`, listener.publicUrl);
    return [...urls].flatMap(([path, given]) => {
      if (given === undefined || given.startsWith('https:') || isLoopback(new URL(given).hostname)) return [];
      const problem = `${given} is not encrypted, and tokens travel there; http is for loopback only`;
      const todo = 'Behind a proxy that ends TLS, too, this is the address that callers use, with https.';
      return [{ path, problem, example: `publicUrl: ${given.replace('http:', 'https:')}`, todo }];
    });
  },
  plainHttpIsCovered: ({ listeners, proxies }) =>
    listeners.flatMap((listener, index) => {
      const problem = whyNotPlain(listener, proxies.addresses);
      return problem ? [{ path: `listeners.${index}`, problem }] : [];
    }),
  certificatesNeedTls: ({ listeners }) =>
    listeners.flatMap(({ tls, clientCertificates }, index) => {
      if (tls || clientCertificates !== 'require') return [];
      const problem = 'require needs tls: without it no caller can show a certificate';
      return [{ path: `listeners.${index}.clientCertificates`, problem }];
    }),
  listenersDiffer: ({ listeners }) => {
    const addresses = listeners.map(({ host, port }) => (port === 0 ? undefined : `${host}:${port}`));
    return repeated(addresses).map((index) => ({
      path: `listeners.${index}`,
      problem: `another listener already has ${addresses[index]}`,
    }));
  },
  /** People sign in on the pages, which have the style sheets of the console too. */
  consoleHasPages: ({ listeners }) =>
    listeners.flatMap(({ doors = [] }, index) => {
      if (!doors.includes('console') || doors.includes('pages')) return [];
      const problem = 'console needs pages on the same listener: people sign in there';
      return [{ path: `listeners.${index}.doors`, problem, example: 'doors: [pages, console]' }];
    }),
  mountsDiffer: ({ authsvc }) =>
    repeated(authsvc.mounts.map(({ path }) => path.toLowerCase())).map((index) => ({
      path: `authsvc.mounts.${index}.path`,
      problem: 'another mount already has this path; letter case makes no difference',
    })),
  mountsAreFree: ({ authsvc }) =>
    authsvc.mounts.flatMap(({ path }, index) => {
      const taken = OWNED_SEGMENTS.find((segment) => segment === path.split('/')[1]?.toLowerCase());
      const problem = `/${taken} belongs to another door`;
      return taken ? [{ path: `authsvc.mounts.${index}.path`, problem, example: 'path: /authsvc' }] : [];
    }),
  oauthMountIsFree: ({ oauth, authsvc }) => {
    if (!oauth.enabled) return [];
    const mount = `${oauth.mount.toLowerCase()}/`;
    const [, first] = mount.split('/');
    const taken = OWNED_SEGMENTS.find((segment) => segment === first && segment !== OAUTH_SEGMENT);
    const beside = authsvc.mounts.map(({ path }) => `${path.toLowerCase()}/`);
    const isNested = beside.some((path) => mount.startsWith(path) || path.startsWith(mount));
    if (!taken && !isNested) return [];
    const problem = `${oauth.mount} belongs to another door`;
    return [{ path: 'oauth.mount', problem, example: 'mount: /oauth2' }];
  },
  /** A trusted proxy decides which address and certificate a request has. */
  proxiesAreNotEveryone: ({ proxies }) =>
    proxies.addresses.flatMap((network, index) => {
      if (!/\/0+$/.test(network)) return [];
      const problem = `${network} is every address: anyone could forge the headers of a proxy`;
      return [{ path: `proxies.addresses.${index}`, problem, example: 'addresses: [10.0.0.0/24]' }];
    }),
  certificateHeaderHasProxies: ({ proxies }) => {
    if (proxies.clientCertificateHeader === 'off' || proxies.addresses.length > 0) return [];
    const problem = 'missing; without it no certificate header is trusted';
    return [{ path: 'proxies.addresses', problem, example: 'addresses: [10.0.0.0/24]' }];
  },
  headerNameIsUsed: ({ proxies }) => {
    if (proxies.headerName === undefined || proxies.clientCertificateHeader !== 'off') return [];
    const problem = 'has no effect while clientCertificateHeader is off';
    return [{ path: 'proxies.headerName', problem, example: 'clientCertificateHeader: url-encoded-pem' }];
  },
  inOrder: ({ device, signIn }) => {
    const demands: readonly (readonly [holds: boolean, path: string, problem: string])[] = [
      [device.pollInterval < device.codeLifetime, 'device.pollInterval', 'expected less than device.codeLifetime'],
      [signIn.sessionIdle <= signIn.sessionLifetime, 'signIn.sessionIdle', 'expected at most signIn.sessionLifetime'],
    ];
    return demands.flatMap(([holds, path, problem]) => (holds ? [] : [{ path, problem }]));
  },
  /** A list that displaces all others is fetched again and again. */
  listsFit: ({ revocation: { listBytes, totalBytes } }) => {
    if (totalBytes >= 2 * listBytes) return [];
    const problem = `expected at least twice revocation.listBytes, which is ${listBytes}`;
    return [{ path: 'revocation.totalBytes', problem, example: `totalBytes: ${2 * listBytes}` }];
  },
  directoriesAreUsable: ({ directories }) => {
    const same = repeated(directories.map(({ label }) => label.toLowerCase()));
    return directories.flatMap((directory, index) => {
      const at = (name: string, problem: string): Mistake[] => [{ path: `directories.${index}.${name}`, problem }];
      const flaws = same.includes(index) ? at('label', 'another directory already has this label') : [];
      if (directory.kind === 'oidc') {
        const { idClaims, scopes, scim, operators, viewers } = directory;
        return [
          ...flaws,
          ...(scim && scim.firstClaims.length !== idClaims.length - 1
            ? at('scim.firstClaims', 'expected a value for each of idClaims but the last')
            : []),
          ...(scim && operators.length + viewers.length > 0
            ? at('operators', 'groups are pushed here: put operators and viewers into another directory')
            : []),
          ...(scopes.includes('openid') ? [] : at('scopes', 'expected openid among them')),
        ];
      }
      const { recheckAfter, trustFor } = directory;
      return [...flaws, ...(trustFor < recheckAfter ? at('trustFor', 'expected at least recheckAfter') : [])];
    });
  },
};

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);
}

function whyNotPlain({ tls, host, behindProxy }: Listener, proxies: readonly string[]): string | undefined {
  if (tls || isLoopback(host)) return undefined;
  if (!behindProxy) {
    return `plain HTTP on ${host}: give tls a certificate and a key, listen on 127.0.0.1, or say behindProxy: true`;
  }
  return proxies.length > 0 ? undefined : 'behindProxy needs the addresses of the proxies under proxies.addresses';
}

const OAUTH_SEGMENT = 'oauth2';

/** The indexes of values that stood earlier in the list. */
function repeated(values: readonly (string | undefined)[]): number[] {
  return values.flatMap((value, index) => (value !== undefined && values.indexOf(value) < index ? [index] : []));
}
