// Honest crowds. All callers of a row arrive with one address each, in 250 networks, unless it says otherwise.
import { writePem } from '../../../src/pki/der/pem.ts';
import type { Front } from './fronts.ts';
import type { CrowdCaller, Order, Step } from './generator.ts';

const REFRESHED_AT_ONCE = 500;
const REFRESHED_IN_TEN_SECONDS = 5000;
const VERIFIED = 100;
export const GRANTS = REFRESHED_AT_ONCE + REFRESHED_IN_TEN_SECONDS + VERIFIED;
const GATEWAY = { demands: [{ perSecond: 1000 }], lastsMs: 3000 } as const;
const GATEWAY_ADDRESS = ['127.40.0.1'];
const AT_CAPACITY = 16;

export interface Row {
  readonly order: (front: Front) => Order;
  readonly needs?: 'HTTP/2';
  /** How many 429 the documentation announces, and by which limit. */
  readonly limited?: (front: Front) => { readonly most: number; readonly by: string };
}

export const CROWDS: Readonly<Record<string, Row>> = {
  '500 certificate grants at once, one address': {
    order: (front) => crowd(500, { steps: ['grant'], certified: front, from: () => '127.20.0.1' }),
    limited: ({ limits: { maxInFlight, addressShare } }) => {
      const share = Math.floor((maxInFlight * addressShare) / 100);
      const by = `limits.addressShare: ${share} requests in flight for one address`;
      return { most: Math.max(0, 500 - share), by };
    },
  },
  '500 refreshes at once': {
    order: ({ stock: { pairs } }) =>
      crowd(REFRESHED_AT_ONCE, { steps: ['refresh'], pairs: pairs.slice(0, REFRESHED_AT_ONCE), from: addresses(21) }),
  },
  '300 CI runners × 3 requests': {
    order: (front) => crowd(300, { steps: ['grant', 'verify', 'refresh'], certified: front, from: addresses(22) }),
  },
  '5,000 refreshes within 10 s': {
    order: ({ stock: { pairs } }) =>
      crowd(REFRESHED_IN_TEN_SECONDS, {
        ...{ steps: ['refresh'], pairs: pairs.slice(REFRESHED_AT_ONCE), from: addresses(23), withinMs: 10_000 },
      }),
  },
  '2,000 devices starting at once': { order: () => crowd(2000, { steps: ['device'], from: addresses(24) }) },
  'gateway, 1,000/s, one connection': {
    needs: 'HTTP/2',
    order: (front) => ({ load: { ...GATEWAY, ...verifying(front, 1), from: GATEWAY_ADDRESS, streams: 100 } }),
  },
  'gateway, 1,000/s, 200 connections': {
    order: (front) => ({ load: { ...GATEWAY, ...verifying(front, 200), from: GATEWAY_ADDRESS } }),
  },
  'gateway, 1,000/s, every third cancelled': {
    needs: 'HTTP/2',
    order: (front) => ({
      load: { ...GATEWAY, ...verifying(front, 1), from: GATEWAY_ADDRESS, streams: 100, cancelEvery: 3 },
    }),
  },
};

/** More than the service can take: it may refuse, but has to serve as much as before. */
export const OVERLOADS: Readonly<Record<string, Row & { readonly loads: readonly string[] }>> = {
  '800 requests in flight': {
    loads: ['800 requests in flight'],
    order: (front) => ({
      load: { ...verifying(front, 800), isConnected: true, demands: [{ inFlight: 800 }], lastsMs: 3000 },
    }),
  },
  'more than it can serve': {
    loads: ['its peak', 'overload × 5', 'overload × 50'],
    order: (front) => ({
      load: {
        ...{ ...verifying(front, 2000), isConnected: true, lastsMs: 3000 },
        demands: [{ inFlight: AT_CAPACITY }, { timesPeak: 5 }, { timesPeak: 50 }],
      },
    }),
  },
};

interface Plan {
  readonly steps: readonly Step[];
  readonly from: (n: number) => string;
  readonly pairs?: CrowdCaller['pair'][];
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

function verifying({ stock: { pairs } }: Front, connections: number) {
  const tokens = pairs.slice(-VERIFIED).map(({ access_token }) => access_token);
  return { connections, tokens, from: Array.from({ length: connections }, (_, n) => addresses(25)(n)) };
}
