import { duration, flag, NOT_ZERO, networks, section, whole } from '../setting.ts';

/** Timers count milliseconds in 31 bits, so these end well below 24 days. */
const DAY = 86_400;

const rate = (what: string, perMinute: number, burst: number) =>
  section(what, {
    perMinute: whole([1, 1_000_000], what, perMinute),
    burst: whole([1, 1_000_000], 'Allowed at once.', burst),
  });

export const limits = section('Rates count per worker; further requests get 429.', {
  headerBytes: whole([1024, 262_144], 'Size of headers; more gets 431.', 16_384),
  bodyBytes: whole([1024, 16_777_216], 'Size of a body; more gets 413.', 65_536),
  headersTimeout: duration('Ignored since 0.4: `requestTimeout` is for headers, too.', '10s', {
    ...NOT_ZERO,
    most: DAY,
  }),
  requestTimeout: duration('Time for a TLS handshake, for a whole request to arrive, and to read an answer.', '30s', {
    ...NOT_ZERO,
    most: DAY,
  }),
  idleTimeout: duration('How long idle connections stay open.', '65s', { ...NOT_ZERO, most: DAY }),
  stopNotice: duration('How long a polled `/readyz` fails before a stop.', '3s', {
    most: DAY,
  }),
  stopTimeout: duration('Time to finish requests after `stopNotice`.', '20s', { most: DAY }),
  drainIdle: duration('How long a stop waits for requests on idle connections.', '5s', { most: DAY }),
  connections: whole([1, 1_000_000], 'Open connections per listener.', 10_000),
  maxInFlight: whole([1, 1_000_000], 'Slots: requests at a time. Others wait two seconds, then get 503.', 300),
  followers: whole(
    [1, 1_000_000],
    'Streams of the revocation feed per worker and listener, at most half for one of several resource servers.',
    2_000,
  ),
  addressShare: whole([1, 100], 'Percentage of `maxInFlight` and `connections` for one address (IPv6: a /64).', 80),
  networkShare: whole([1, 100], 'The same for an IPv4 /24 or an IPv6 /48.', 90),
  queueMilliseconds: whole([5, 60_000], 'Ignored since 0.3.', 120),
  inspectCertificates: flag('Ignored since 0.4.', true),
  requestsPerAddress: rate('Requests from one address, except checks of authentic tokens.', 3_000, 3_000),
  checksPerAddress: rate('Checks of authentic tokens from one address.', 300_000, 30_000),
  exemptNetworks: networks('Networks without rates per address: your APIs and gateways.', ['10.1.0.0/16']),
  requestsPerIntegration: rate('Requests of one integration.', 30_000, 6_000),
  grantsPerIdentity: rate('New grants of one identity.', 600, 10_000),
  grantsPerIntegration: rate('New grants of one integration.', 6_000, 100_000),
  refreshesPerGrant: rate('Refreshes of one grant.', 60, 300),
  refreshesPerIdentity: rate('Refreshes of all grants of one identity.', 3_000, 30_000),
});
