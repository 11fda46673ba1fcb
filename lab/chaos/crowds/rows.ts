// Honest crowds, and loads beyond what the service can take. Callers have an address each, in 250 networks, unless a row says otherwise.
import { writePem } from '../../../src/pki/der/pem.ts';
import type { Front } from './fronts.ts';
import type { CrowdCaller, Load, Order, Step } from './generator.ts';

const AT_ONCE = 500;
const IN_TEN_SECONDS = 5000;
const VERIFIED = 100;
export const GRANTS = AT_ONCE + IN_TEN_SECONDS + VERIFIED;
const AT_CAPACITY = 16;

export interface Row {
  readonly name: string;
  readonly order: (front: Front) => Order;
  readonly needsHttp2?: true;
  readonly isBareOnly?: true;
  /** How many 429 the documentation announces, and by which limit. */
  readonly limited?: (front: Front) => { readonly most: number; readonly by: string };
  /** It may refuse, but has to serve as much as at its peak. The names of the loads; the first is the peak. */
  readonly overload?: readonly string[];
  /** Share of a core that the service gets from here on: a generator could not send 50 times what a whole core serves. */
  readonly cores?: number;
}

export const ROWS: readonly Row[] = [
  {
    name: '500 certificate grants at once, one address',
    order: (front) => crowd(AT_ONCE, { steps: ['grant'], certified: front, from: () => '127.20.0.1' }),
    limited: ({ limits: { maxInFlight, addressShare } }) => {
      const share = Math.floor((maxInFlight * addressShare) / 100);
      return { most: Math.max(0, AT_ONCE - share), by: `limits.addressShare, ${share} in flight for one address` };
    },
  },
  {
    name: '500 refreshes at once',
    order: ({ stock }) => crowd(AT_ONCE, { steps: ['refresh'], pairs: stock.pairs, from: addresses(21) }),
  },
  {
    name: '300 CI runners × 3 requests',
    order: (front) => crowd(300, { steps: ['grant', 'verify', 'refresh'], certified: front, from: addresses(22) }),
  },
  {
    name: '5,000 refreshes within 10 s',
    order: ({ stock }) => {
      const pairs = stock.pairs.slice(AT_ONCE);
      return crowd(IN_TEN_SECONDS, { steps: ['refresh'], pairs, from: addresses(23), withinMs: 10_000 });
    },
  },
  {
    name: '5,000 refreshes within 10 s, one address',
    order: ({ stock }) => {
      const pairs = stock.pairs.slice(AT_ONCE);
      return crowd(IN_TEN_SECONDS, { steps: ['refresh'], pairs, from: () => '127.29.0.1', withinMs: 10_000 });
    },
    limited: ({ limits: { requestsPerAddress } }) => ({
      most: IN_TEN_SECONDS - requestsPerAddress.burst,
      by: 'limits.requestsPerAddress',
    }),
  },
  {
    name: '2,000 devices starting at once',
    order: () => crowd(2000, { steps: ['device'], from: addresses(24) }),
  },
  {
    name: '2,000 devices within 10 s, one address',
    order: () => crowd(2000, { steps: ['device'], from: () => '127.27.0.1', withinMs: 10_000 }),
  },
  {
    name: '2,000 checks at once, one address',
    order: ({ stock }) => crowd(2000, { steps: ['verify'], pairs: stock.pairs, from: () => '127.28.0.1' }),
  },
  {
    name: 'gateway, 1,000/s, one HTTP/2 connection',
    needsHttp2: true,
    order: (front) => gateway(front, { connections: 1, streams: 100 }),
  },
  { name: 'gateway, 1,000/s, 200 connections', order: (front) => gateway(front, { connections: 200 }) },
  {
    name: 'gateway, 1,000/s, every third cancelled',
    needsHttp2: true,
    order: (front) => gateway(front, { connections: 1, streams: 100, cancelEvery: 3 }),
  },
  {
    name: '800 requests in flight',
    overload: ['800 requests in flight'],
    order: (front) => overload(front, 800, [{ inFlight: 800 }]),
  },
  {
    name: 'more than it can serve',
    isBareOnly: true,
    overload: ['its peak', 'overload × 5', 'overload × 50'],
    cores: 0.35,
    order: (front) => overload(front, 2000, [{ inFlight: AT_CAPACITY }, { timesPeak: 5 }, { timesPeak: 50 }]),
  },
];

interface Plan {
  readonly steps: readonly Step[];
  readonly from: (n: number) => string;
  readonly pairs?: readonly CrowdCaller['pair'][];
  /** Each caller has a certificate of its own, for the authority of this front. */
  readonly certified?: Front;
  readonly withinMs?: number;
}

function crowd(count: number, { steps, from, pairs, certified, withinMs = 0 }: Plan): Order {
  const callers = Array.from({ length: count }, (_, n) => ({
    ...{ steps, from: from(n), pair: pairs?.[n], atMs: (n / count) * withinMs },
    certificate: certified && certificateFor(certified),
  }));
  return { crowd: callers };
}

function certificateFor({ stock }: Front): CrowdCaller['certificate'] {
  const { chain, key } = stock.home.authority.issue({ commonName: 'ada' });
  return { cert: chain.map((der) => writePem(der)).join(''), key };
}

const addresses = (row: number) => (n: number) => `127.${row}.${n % 250}.${1 + (Math.floor(n / 250) % 250)}`;
const tokensOf = ({ stock }: Front) => stock.pairs.slice(-VERIFIED).map(({ access_token }) => access_token);

function gateway(front: Front, plan: Pick<Load, 'connections' | 'streams' | 'cancelEvery'>): Order {
  const load = { from: ['127.25.0.1'], tokens: tokensOf(front), demands: [{ perSecond: 1000 }], lastsMs: 3000 };
  return { load: { ...plan, ...load } };
}

function overload(front: Front, connections: number, demands: Load['demands']): Order {
  const from = Array.from({ length: connections }, (_, n) => addresses(26)(n));
  return { load: { connections, from, tokens: tokensOf(front), isConnected: true, demands, lastsMs: 3000 } };
}
