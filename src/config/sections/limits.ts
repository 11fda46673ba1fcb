import { duration, section, texts, whole } from '../setting.ts';

const rate = (description: string, perMinute: number, burst: number) =>
  section(description, {
    perMinute: whole(1, 1_000_000, { description: 'Sustained requests per minute.', default: perMinute }),
    burst: whole(1, 1_000_000, { description: 'Requests allowed at once before the rate applies.', default: burst }),
  });

export const limits = section('Limits of the service.', {
  headerBytes: whole(1024, 262_144, {
    description: 'Maximum size of a request’s headers; larger ones get 431.',
    default: 16_384,
  }),
  bodyBytes: whole(1024, 16_777_216, {
    description: 'Maximum size of a request’s body; larger ones get 413.',
    default: 65_536,
  }),
  headersTimeout: duration({ description: 'Time for the headers of a request to arrive.', default: '10s' }),
  requestTimeout: duration({ description: 'Time for a whole request to arrive.', default: '30s' }),
  idleTimeout: duration({ description: 'How long an idle connection is kept open.', default: '65s' }),
  stopTimeout: duration({
    description: 'Time for requests in flight to finish when the service stops.',
    default: '20s',
  }),
  drainIdle: duration({
    description:
      'How long a stop waits for the next request on an idle connection. Its response asks the caller to connect again (`Connection: close`, GOAWAY), so no request is lost. Connections that stay idle are closed then.',
    default: '5s',
  }),
  connections: whole(1, 1_000_000, { description: 'Open connections per listener.', default: 10_000 }),
  maxInFlight: whole(1, 1_000_000, {
    description: 'Requests in flight; further ones get 503 with Retry-After immediately.',
    default: 2_000,
  }),
  followers: whole(1, 1_000_000, {
    description:
      'Streams of the revocation feed per listener; further ones get 503. Each worker counts for itself. A follower that does not read costs up to 0.2 MB.',
    default: 2_000,
  }),
  addressShare: whole(1, 100, {
    description:
      'Percentage of `maxInFlight`, of `connections` and of `followers` that one address may use at a time; an IPv6 /64 counts as one address. Further requests get 429, further connections are closed. Requests through a listed proxy count for the address that it forwards.',
    default: 10,
  }),
  networkShare: whole(1, 100, {
    description: 'The same for one network: an IPv4 /24, an IPv6 /48.',
    default: 25,
  }),
  queueMilliseconds: whole(5, 60_000, {
    description:
      'How long requests may wait in the process. If it has had no time left for a second and requests would wait longer than this, late ones get 503 with Retry-After, strangers before callers with an authentic token; new connections wait for their handshake.',
    default: 120,
  }),
  requestsPerAddress: rate(
    'Requests from one network address, except checks of authentic tokens; further ones get 429. Each worker counts for itself.',
    3_000,
    600,
  ),
  checksPerAddress: rate(
    'Checks of authentic tokens from one network address, as resource servers send them; further ones get 429. Each worker counts for itself.',
    300_000,
    30_000,
  ),
  exemptNetworks: texts('a list of IP addresses or networks', '^[0-9A-Fa-f.:]+(/[0-9]{1,3})?$', {
    description:
      'Addresses or networks (CIDR) without limits per address on requests and checks, for your own resource servers and gateways. The shares and the limits per integration still apply.',
    default: [],
    example: ['10.1.0.0/16'],
  }),
  requestsPerIntegration: rate('Requests of one integration; further ones get 429.', 30_000, 6_000),
});
