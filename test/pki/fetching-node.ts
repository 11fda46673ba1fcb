// A node that fetches the lists of one CA, with all that it asks and says.
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import type { SharedList } from '../../src/core/shared-download.ts';
import { epochSeconds } from '../../src/core/time.ts';
import { ALONE } from '../../src/outbound/shared-download.ts';
import { FetchedLists } from '../../src/pki/revocation/fetched-lists.ts';
import { ListReader } from '../../src/pki/revocation/list-reader.ts';
import { readCertificate } from '../../src/pki/x509/certificate.ts';
import { makeAuthority } from '../authority.ts';
import { approve, CRL_REQUIRED, NOW } from './approved.ts';

const root = makeAuthority({ name: 'Root' });
const certificate = readCertificate(root.certificate);
export const authority = certificate.ok ? certificate.value : assert.fail();
export const issuer = approve(root, { revocation: { ...CRL_REQUIRED, allowedAddresses: ['10.0.0.0/8'] } });
export const URL = 'http://crl.test/ca.crl';
export const HOUR = 3600;
export const at = (seconds: number) => new Date((NOW + seconds) * 1000).toISOString();
/** Valid for ten hours: due after eight. */
export const listOf = (number: number, options: Parameters<typeof root.crl>[0] = {}) =>
  new Uint8Array(root.crl({ thisUpdate: at(0), nextUpdate: at(10 * HOUR), number, ...options }));
export const markOf = (list: Uint8Array) => hash('sha256', list);

export function scene(limits: { listBytes?: number; totalBytes?: number } = {}) {
  const state = {
    now: NOW,
    requests: 0,
    changes: 0,
    allowed: [] as readonly string[] | undefined,
    serve: (): Uint8Array<ArrayBuffer> | undefined => listOf(1),
    stored: undefined as SharedList | undefined,
    contents: undefined as Uint8Array<ArrayBuffer> | undefined,
    isWanted: true,
    authorities: [{ authority, issuer }],
  };
  const shared: (Omit<SharedList, 'askedAt'> & { octets?: number })[] = [];
  const said = { refused: [] as string[], limits: [] as string[], named: [] as string[] };
  const lists = new FetchedLists({
    now: () => state.now,
    fetch: async (_, { allowed }) => {
      Object.assign(state, { requests: state.requests + 1, allowed });
      const body = state.serve();
      return body ? new Response(body) : new Response('', { status: 503 });
    },
    reader: new ListReader(),
    authorities: () => state.authorities,
    logRefused: (_, why) => void said.refused.push(why),
    changed: () => void state.changes++,
    limitHit: (limit) => void said.limits.push(limit),
    limits: () => ({ listBytes: 1_000_000, addressesPerIssuer: 10, totalBytes: 10_000_000, issuers: 1, ...limits }),
    exchange: {
      ...ALONE,
      named: (url) => void said.named.push(url),
      isWanted: () => state.isWanted,
      find: async () => state.stored,
      news: async () => (state.stored ? [state.stored] : undefined),
      contents: async () => state.contents,
      share: async (news, contents) => void shared.push({ ...news, ...(contents && { octets: contents.length }) }),
    },
  });
  const renewAt = async (seconds: number) => {
    state.now = epochSeconds(NOW + seconds);
    await lists.renew();
    // Whoever has a list does not wait; what is fetched is shared in the end.
    do await new Promise(setImmediate);
    while (shared.length < state.requests);
  };
  const numbers = () => lists.lists.map(({ number }) => Number(number));
  return { state, shared, said, lists, numbers, renewAt };
}

export const seconds = (news: { checkedAt: number; renewAt: number } | undefined) =>
  news && [news.checkedAt - NOW, news.renewAt - NOW];
