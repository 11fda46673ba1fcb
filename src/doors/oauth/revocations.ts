// The revocation feed: a snapshot in pages, and a stream of what follows it. For registered resource servers.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { accept, type Outcome, refuse, refused } from '../../core/outcome.ts';
import type { ResourceServer } from '../../core/resource-server.ts';
import { seconds } from '../../core/time.ts';
import { cursorText, isInLog, type Position, parseCursor, serverMark } from '../../operations/feed/cursor.ts';
import { currentServer } from '../../operations/feed/follower.ts';
import type { FeedStore } from '../../operations/feed/read-feed.ts';
import { firstPage, nextPage, type SnapshotPage } from '../../operations/feed/snapshot.ts';
import { replyJson } from '../http/answers.ts';
import { Call } from '../token/call.ts';
import { feedEntry } from './feed-entry.ts';
import { FeedStreams } from './feed-streams.ts';
import { askingServer, isStillProven } from './introspect.ts';
import { PATHS } from './metadata.ts';
import type { OauthCall, OauthMount } from './mount.ts';
import { replyOauthRefusal } from './reply.ts';
import type { ClientParameters, Snapshot } from './schemas.ts';
import type { OauthRefusal } from './wording.ts';

export function mountRevocations(app: FastifyInstance, mount: OauthMount): void {
  const streams = new FeedStreams(mount.feed, mount.ports.store);
  app.get(mount.path + PATHS.revocations, async (request, reply): Promise<void> => {
    const isStream = (request.headers.accept ?? '').toLowerCase().includes('text/event-stream');
    const call = new Call(request, mount);
    call.story.operation = isStream ? 'follow-revocations' : 'snapshot-revocations';
    const refusal = isRepeated(request)
      ? ({ reason: 'parameter-repeated' } as const)
      : await (isStream ? follow(call, reply, streams) : replySnapshot(call, reply));
    if (refusal) replyOauthRefusal(request, reply, refusal);
  });
}

async function followingServer(call: OauthCall): Promise<Outcome<ResourceServer, OauthRefusal>> {
  const asking = await askingServer(clientOf(call.request), call);
  if (!asking.ok) return asking;
  const server = await currentServer(asking.value, call.mount.ports.store);
  return server ? accept(server) : refused({ reason: 'resource-server-unproven', credential: 'resource-server' });
}

async function replySnapshot(call: OauthCall, reply: FastifyReply): Promise<OauthRefusal | undefined> {
  const server = await followingServer(call);
  if (!server.ok) return server.refusal;
  const { store } = call.mount.ports;
  const wanted = parameterOf(call.request, 'page');
  const page = await (wanted === undefined ? firstPage(store) : pageOf(wanted, server.value, store));
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

async function follow(call: OauthCall, reply: FastifyReply, streams: FeedStreams): Promise<OauthRefusal | undefined> {
  const server = await followingServer(call);
  if (!server.ok) return server.refusal;
  const from = await startOf(call, server.value);
  if (!from.ok) return from.refusal;
  const isProven = () => isStillProven(server.value, clientOf(call.request), call);
  const reason = await streams.open(reply, server.value, from.value, isProven);
  return reason && { reason, retryAfter: WHEN_OTHERS_LEFT };
}

/** Streams end by themselves after a while. */
const WHEN_OTHERS_LEFT = seconds(5);

async function startOf(
  { request, mount }: OauthCall,
  server: ResourceServer,
): Promise<Outcome<Position, OauthRefusal>> {
  const cursor = headerOf(request, 'last-event-id') ?? parameterOf(request, 'after');
  if (cursor === undefined) return refuse('cursor-missing');
  const from = parseCursor(cursor, server);
  return from && (await isInLog(from, mount.ports.store)) ? accept(from) : refuse('cursor-gone');
}

const PARAMETERS = ['client_id', 'page', 'after'] as const;

/** RFC 6749 3.2: no parameter twice. */
function isRepeated(request: FastifyRequest): boolean {
  return PARAMETERS.some((name) => valuesOf(request, name).length > 1);
}

function clientOf(request: FastifyRequest): ClientParameters {
  const id = parameterOf(request, 'client_id');
  return id === undefined ? {} : { client_id: id };
}

/** Undefined if it is missing or empty. */
function parameterOf(request: FastifyRequest, name: (typeof PARAMETERS)[number]): string | undefined {
  return valuesOf(request, name)[0] || undefined;
}

function valuesOf({ query }: FastifyRequest, name: string): readonly string[] {
  return [(query as Record<string, string | string[] | undefined>)[name] ?? []].flat();
}

function headerOf({ headers }: FastifyRequest, name: string): string | undefined {
  const value = [headers[name]].flat()[0];
  return value === '' ? undefined : value;
}
