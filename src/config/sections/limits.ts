import { duration, section, whole } from '../setting.ts';

const rate = (description: string, perMinute: number, burst: number) =>
  section(description, {
    perMinute: whole(1, 1_000_000, { description: 'Requests per minute in the long run.', default: perMinute }),
    burst: whole(1, 1_000_000, { description: 'Requests at once, before the rate counts.', default: burst }),
  });

export const limits = section('What the service takes before it says no.', {
  headerBytes: whole(1024, 262_144, { description: 'Size of a request’s headers; more is 431.', default: 16_384 }),
  bodyBytes: whole(1024, 16_777_216, { description: 'Size of a request’s body; more is 413.', default: 65_536 }),
  headersTimeout: duration({ description: 'Time for the headers of a request to arrive.', default: '10s' }),
  requestTimeout: duration({ description: 'Time for a whole request to arrive.', default: '30s' }),
  idleTimeout: duration({ description: 'Time that an idle connection is kept open.', default: '65s' }),
  stopTimeout: duration({
    description: 'Time for requests in flight to finish when the service stops.',
    default: '20s',
  }),
  connections: whole(1, 1_000_000, { description: 'Open connections per listener.', default: 10_000 }),
  maxInFlight: whole(1, 1_000_000, {
    description: 'Requests under way at once; more are answered 503 with Retry-After at once.',
    default: 2_000,
  }),
  addressShare: whole(1, 100, {
    description:
      'Percent of `maxInFlight` and of `connections` that one address may hold at a time, an IPv6 /64 counting as one address. More requests are answered 429, more connections are closed. Requests of a listed proxy count for the address that it forwards.',
    default: 10,
  }),
  networkShare: whole(1, 100, {
    description: 'The same for one network: an IPv4 /24, an IPv6 /48.',
    default: 25,
  }),
  queueMilliseconds: whole(5, 60_000, {
    description:
      'How long requests may wait in the process. When they have waited longer for a tenth of a second, late ones are answered 503 with Retry-After until the queue is gone, strangers before callers that have shown an authentic token; new connections wait for their handshake.',
    default: 60,
  }),
  requestsPerAddress: rate('Requests of one network address; more are answered 429.', 3_000, 600),
  requestsPerIntegration: rate('Requests of one integration; more are answered 429.', 30_000, 6_000),
});
