// The revocation feed: a snapshot in pages, and a stream of what follows it. For registered resource servers.
import type { FastifyInstance, FastifyReply } from 'fastify';
import { accept, type Outcome, refuse, refused } from '../../core/outcome.ts';
import type { ResourceServer } from '../../core/resource-server.ts';
import { seconds } from '../../core/time.ts';
import { cursorText, isInLog, type Position, parseCursor, serverMark } from '../../operations/feed/cursor.ts';
import { currentServer } from '../../operations/feed/follower.ts';
import type { FeedStore } from '../../operations/feed/read-feed.ts';
import { firstPage, nextPage, type SnapshotPage } from '../../operations/feed/snapshot.ts';
import { replyJson } from '../http/answers.ts';
import { queryTextOf } from '../http/methods.ts';
import { Call } from '../token/call.ts';
import { readParameters } from '../token/parameters.ts';
import { feedEntry } from './feed-batch.ts';
import { FeedStreams } from './feed-streams.ts';
import { askingServer, isStillProven } from './introspect.ts';
import { PATHS } from './metadata.ts';
import type { OauthCall, OauthMount } from './mount.ts';
import { replyOauthRefusal } from './reply.ts';
import type { Snapshot } from './schemas.ts';
import type { OauthRefusal } from './wording.ts';

type FeedQuery = Partial<Record<'client_id' | 'page' | 'after', string>>;

const FEED_QUERY = { properties: { client_id: {}, page: {}, after: {} } };

export function mountRevocations(app: FastifyInstance, mount: OauthMount): void {
  const streams = new FeedStreams(mount.feed, mount.ports.store);
  app.get(mount.path + PATHS.revocations, async (request, reply): Promise<void> => {
    const isStream = (request.headers.accept ?? '').toLowerCase().includes('text/event-stream');
    const call = new Call(request, mount);
    call.record.operation = isStream ? 'follow-revocations' : 'snapshot-revocations';
    const query = readParameters<FeedQuery>(Buffer.from(queryTextOf(request.url)), 'form', FEED_QUERY);
    const refusal = query.ok
      ? await (isStream ? follow(call, query.value, reply, streams) : replySnapshot(call, query.value, reply))
      : query.refusal;
    if (refusal) replyOauthRefusal(request, reply, refusal);
  });
}

async function followingServer(call: OauthCall, query: FeedQuery): Promise<Outcome<ResourceServer, OauthRefusal>> {
  const asking = await askingServer(query, call);
  if (!asking.ok) return asking;
  const server = await currentServer(asking.value, call.mount.ports.store);
  return server ? accept(server) : refused({ reason: 'resource-server-unproven', credential: 'resource-server' });
}

async function replySnapshot(
  call: OauthCall,
  query: FeedQuery,
  reply: FastifyReply,
): Promise<OauthRefusal | undefined> {
  const server = await followingServer(call, query);
  if (!server.ok) return server.refusal;
  const { store } = call.mount.ports;
  const page = await (query.page === undefined ? firstPage(store) : pageOf(query.page, server.value, store));
  if (!page) return { reason: 'cursor-gone' };
  replyJson(reply, 200, JSON.stringify(snapshotOf(page, server.value)));
  return undefined;
}

const PAGE = /^(.+)-([1-9][0-9]{0,14})$/;

async function pageOf(wanted: string, server: ResourceServer, store: FeedStore): Promise<SnapshotPage | undefined> {
  const [, cursor = '', before] = PAGE.exec(wanted) ?? [];
  const from = parseCursor(cursor, server);
  return from && nextPage(from, Number(before), store);
}

function snapshotOf({ from, states, next }: SnapshotPage, server: ResourceServer): Snapshot {
  const cursor = cursorText(from, serverMark(server));
  const entries = states.map((state) => feedEntry(state, server)).filter((entry) => entry !== undefined);
  return { cursor, audience: server.audience, entries, ...(next !== undefined && { next: `${cursor}-${next}` }) };
}

async function follow(
  call: OauthCall,
  query: FeedQuery,
  reply: FastifyReply,
  streams: FeedStreams,
): Promise<OauthRefusal | undefined> {
  const server = await followingServer(call, query);
  if (!server.ok) return server.refusal;
  const from = await startOf(call, query, server.value);
  if (!from.ok) return from.refusal;
  const isProven = () => isStillProven(server.value, query, call);
  const reason = await streams.open(reply, server.value, from.value, isProven);
  return reason && { reason, retryAfter: WHEN_OTHERS_LEFT };
}

/** Streams end by themselves after a while. */
const WHEN_OTHERS_LEFT = seconds(5);

async function startOf(
  { request, mount }: OauthCall,
  { after }: FeedQuery,
  server: ResourceServer,
): Promise<Outcome<Position, OauthRefusal>> {
  const [lastSeen] = [request.headers['last-event-id']].flat();
  const cursor = lastSeen || after;
  if (cursor === undefined) return refuse('cursor-missing');
  const from = parseCursor(cursor, server);
  return from && (await isInLog(from, mount.ports.store)) ? accept(from) : refuse('cursor-gone');
}
