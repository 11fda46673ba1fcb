import { duration, flag, NOT_ZERO, networks, section, whole } from '../setting.ts';

/** Timers count milliseconds in 31 bits, so these end well below 24 days. */
const DAY = 86_400;

const rate = (what: string, whose: string, perMinute: number, burst: number) =>
  section(`${what} ${whose}`, {
    perMinute: whole([1, 1_000_000], `${what} per minute ${whose}`, perMinute),
    burst: whole([1, 1_000_000], 'Allowed at once.', burst),
  });

export const limits = section('Limits of the service. Rates count per worker; further requests get 429.', {
  headerBytes: whole([1024, 262_144], 'Maximum size of headers; more gets 431.', 16_384),
  bodyBytes: whole([1024, 16_777_216], 'Maximum size of a body; more gets 413.', 65_536),
  headersTimeout: duration('Time for a TLS handshake, and for headers to arrive.', '10s', { ...NOT_ZERO, most: DAY }),
  requestTimeout: duration('Time for a whole request to arrive.', '30s', { ...NOT_ZERO, most: DAY }),
  idleTimeout: duration('How long an idle connection is kept open.', '65s', { ...NOT_ZERO, most: DAY }),
  stopNotice: duration('How long `/readyz` fails before a stop, if it is polled.', '3s', { most: DAY }),
  stopTimeout: duration('Time for requests in flight to finish after `stopNotice`.', '20s', { most: DAY }),
  drainIdle: duration('How long a stop waits for the next request on an idle connection.', '5s', { most: DAY }),
  connections: whole([1, 1_000_000], 'Open connections per listener.', 10_000),
  maxInFlight: whole([1, 1_000_000], 'Slots: requests served at a time. Others wait for a second, then get 503.', 300),
  followers: whole(
    [1, 1_000_000],
    'Streams of the revocation feed per worker and listener; one resource server may have half.',
    2_000,
  ),
  addressShare: whole(
    [1, 100],
    'Percentage of `maxInFlight`, `connections` and `followers` that one address (IPv6: a /64) may use.',
    80,
  ),
  networkShare: whole([1, 100], 'The same for one network: an IPv4 /24, an IPv6 /48.', 90),
  queueMilliseconds: whole([5, 60_000], 'Ignored since 0.3.', 120),
  inspectCertificates: flag('Whether hostile certificates are refused early, on Node 26.10.0 (docs/proxies.md).', true),
  requestsPerAddress: rate('Requests', 'from one address, except checks of authentic tokens.', 3_000, 600),
  checksPerAddress: rate('Checks of authentic tokens', 'from one address.', 300_000, 30_000),
  exemptNetworks: networks('Networks without rates per address, for your own APIs and gateways.', ['10.1.0.0/16']),
  requestsPerIntegration: rate('Requests', 'of one integration.', 30_000, 6_000),
  grantsPerIdentity: rate('New grants', 'of one identity.', 600, 10_000),
  grantsPerIntegration: rate('New grants', 'of one integration.', 6_000, 100_000),
  refreshesPerGrant: rate('Refreshes', 'of one grant.', 60, 300),
  refreshesPerIdentity: rate('Refreshes', 'of all grants of one identity.', 3_000, 30_000),
});
