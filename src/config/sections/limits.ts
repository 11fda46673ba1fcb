import { duration, flag, NOT_ZERO, networks, section, whole } from '../setting.ts';

/** Timers count milliseconds in 31 bits, so these end well below 24 days. */
const DAY = 86_400;

const rate = (what: string, whose: string, perMinute: number, burst: number) =>
  section(`${what} ${whose}`, {
    perMinute: whole([1, 1_000_000], `${what} per minute ${whose}`, perMinute),
    burst: whole([1, 1_000_000], 'Allowed at once.', burst),
  });

export const limits = section('Limits of the service.', {
  headerBytes: whole([1024, 262_144], 'Maximum size of headers; more gets 431.', 16_384),
  bodyBytes: whole([1024, 16_777_216], 'Maximum size of a body; more gets 413.', 65_536),
  headersTimeout: duration('Time for a TLS handshake, and for headers to arrive.', '10s', { ...NOT_ZERO, most: DAY }),
  requestTimeout: duration('Time for a whole request to arrive.', '30s', { ...NOT_ZERO, most: DAY }),
  idleTimeout: duration('How long an idle connection is kept open.', '65s', { ...NOT_ZERO, most: DAY }),
  stopNotice: duration('How long a stop goes on serving while `/readyz` already fails, if somebody polls it.', '3s', {
    most: DAY,
  }),
  stopTimeout: duration('Time for requests in flight to finish after `stopNotice`.', '20s', { most: DAY }),
  drainIdle: duration('How long a stop waits for the next request on an idle connection.', '5s', { most: DAY }),
  connections: whole([1, 1_000_000], 'Open connections per listener.', 10_000),
  maxInFlight: whole(
    [1, 1_000_000],
    'Slots: requests that have arrived as a whole and are not answered. Further ones wait for a second, then get 503. More slots do not serve more.',
    300,
  ),
  followers: whole(
    [1, 1_000_000],
    'Streams of the revocation feed per worker and listener; further ones get 503. Of several resource servers, one may have half.',
    2_000,
  ),
  addressShare: whole(
    [1, 100],
    'Percentage of `maxInFlight`, `connections` and `followers` that one address (IPv6: a /64) may use; beyond that 429, or the connection is closed.',
    80,
  ),
  networkShare: whole([1, 100], 'The same for one network: an IPv4 /24, an IPv6 /48.', 90),
  queueMilliseconds: whole([5, 60_000], 'Ignored since 0.3: `maxInFlight` bounds how long requests wait.', 120),
  inspectCertificates: flag(
    'Whether client certificates are inspected before OpenSSL loads their keys, on proven versions of Node (docs/proxies.md).',
    true,
  ),
  requestsPerAddress: rate(
    'Requests',
    'from one address and worker, except checks of authentic tokens; further ones get 429.',
    3_000,
    600,
  ),
  checksPerAddress: rate('Checks of authentic tokens', 'from one address.', 300_000, 30_000),
  exemptNetworks: networks(
    'Addresses or networks without rates per address, for your own resource servers and gateways.',
    ['10.1.0.0/16'],
  ),
  requestsPerIntegration: rate('Requests', 'of one integration.', 30_000, 6_000),
  grantsPerIdentity: rate('New grants', 'of one identity and worker; further ones get 429.', 600, 10_000),
  grantsPerIntegration: rate('New grants', 'of one integration, likewise.', 6_000, 100_000),
  refreshesPerGrant: rate('Refreshes', 'of one grant, likewise.', 60, 300),
  refreshesPerIdentity: rate('Refreshes', 'of all grants of one identity, likewise.', 3_000, 30_000),
});
