import { duration, flag, section, texts, whole } from '../setting.ts';

const rate = (what: string, whose: string, perMinute: number, burst: number) =>
  section(`${what} ${whose}`, {
    perMinute: whole(1, 1_000_000, { description: `${what} per minute ${whose}`, default: perMinute }),
    burst: whole(1, 1_000_000, { description: 'Allowed at once.', default: burst }),
  });

export const limits = section('Limits of the service.', {
  headerBytes: whole(1024, 262_144, {
    description: 'Maximum size of headers; more gets 431.',
    default: 16_384,
  }),
  bodyBytes: whole(1024, 16_777_216, {
    description: 'Maximum size of a body; more gets 413.',
    default: 65_536,
  }),
  headersTimeout: duration({
    description: 'Time for a TLS handshake, and for headers to arrive.',
    default: '10s',
  }),
  requestTimeout: duration({ description: 'Time for a whole request to arrive.', default: '30s' }),
  idleTimeout: duration({ description: 'How long an idle connection is kept open.', default: '65s' }),
  stopNotice: duration({
    description: 'How long a stop goes on serving while `/readyz` already fails, if somebody polls it.',
    default: '3s',
  }),
  stopTimeout: duration({
    description: 'Time for requests in flight to finish after `stopNotice`.',
    default: '20s',
  }),
  drainIdle: duration({
    description: 'How long a stop waits for the next request on an idle connection.',
    default: '5s',
  }),
  connections: whole(1, 1_000_000, { description: 'Open connections per listener.', default: 10_000 }),
  maxInFlight: whole(1, 1_000_000, {
    description:
      'Slots: requests that have arrived as a whole and are not answered. Further ones wait for a second, then get 503. More slots do not serve more.',
    default: 300,
  }),
  followers: whole(1, 1_000_000, {
    description:
      'Streams of the revocation feed per worker and listener; further ones get 503. Of several resource servers, one may have half.',
    default: 2_000,
  }),
  addressShare: whole(1, 100, {
    description:
      'Percentage of `maxInFlight`, `connections` and `followers` that one address (IPv6: a /64) may use; beyond that 429, or the connection is closed.',
    default: 80,
  }),
  networkShare: whole(1, 100, {
    description: 'The same for one network: an IPv4 /24, an IPv6 /48.',
    default: 90,
  }),
  queueMilliseconds: whole(5, 60_000, {
    description: 'Ignored since 0.3: `maxInFlight` bounds how long requests wait.',
    default: 120,
  }),
  inspectCertificates: flag({
    description:
      'Whether client certificates are inspected before OpenSSL loads their keys, on proven versions of Node (docs/proxies.md).',
    default: true,
  }),
  requestsPerAddress: rate(
    'Requests',
    'from one address and worker, except checks of authentic tokens; further ones get 429.',
    3_000,
    600,
  ),
  checksPerAddress: rate('Checks of authentic tokens', 'from one address.', 300_000, 30_000),
  exemptNetworks: texts('a list of IP addresses or networks', '^[0-9A-Fa-f.:]+(/[0-9]{1,3})?$', {
    description: 'Addresses or networks without rates per address, for your own resource servers and gateways.',
    default: [],
    example: ['10.1.0.0/16'],
  }),
  requestsPerIntegration: rate('Requests', 'of one integration.', 30_000, 6_000),
  grantsPerIdentity: rate('New grants', 'of one identity and worker; further ones get 429.', 600, 10_000),
  grantsPerIntegration: rate('New grants', 'of one integration, likewise.', 6_000, 100_000),
  refreshesPerGrant: rate('Refreshes', 'of one grant, likewise.', 60, 300),
  refreshesPerIdentity: rate('Refreshes', 'of all grants of one identity, likewise.', 3_000, 30_000),
});
