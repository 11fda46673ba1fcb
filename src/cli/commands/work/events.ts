import { setTimeout as sleep } from 'node:timers/promises';
import { type Act, actWords, authorWords } from '../../../core/act.ts';
import type { ActEvent, EventType } from '../../../core/event.ts';
import { after, isoTime, type Seconds, seconds } from '../../../core/time.ts';
import { findIdentity } from '../../../operations/admin/find-identity.ts';
import {
  type EventFilter,
  passes,
  readAllEvents,
  readEvents,
  readNewEvents,
} from '../../../operations/admin/read-events.ts';
import type { LoggedEvent } from '../../../store/store.ts';
import { readHistory } from '../../../store/tables/store-history.ts';
import { print, printJsonLine, remark } from '../../terminal/output.ts';
import { accepted } from '../../terminal/wording.ts';
import type { Workplace } from '../../terminal/workplace.ts';

export interface EventsFlags {
  readonly after?: number;
  readonly identity?: string;
  readonly type?: EventType;
  readonly since?: Seconds;
  readonly limit?: number;
  readonly follow?: true;
  readonly json?: true;
}

const POLL_MS = 1000;
const FOLLOW_STEP = 500;

/** Without `--limit`, if neither a time nor a number says from where on. */
const NEWEST = 50;

export async function printEvents(flags: EventsFlags, workplace: Workplace): Promise<void> {
  const filter = await filterOf(flags, workplace);
  const isBounded = flags.limit !== undefined || (flags.after === undefined && flags.since === undefined);
  const last = await (isBounded ? printSome : printFrom)(flags, filter, workplace);
  if (flags.follow) await follow(last ?? flags.after ?? 0, flags, filter, workplace);
}

/** Returns the sequence number of the last one. */
async function printSome(flags: EventsFlags, filter: EventFilter, workplace: Workplace): Promise<number | undefined> {
  const { limit = NEWEST } = flags;
  const events = await readEvents({ ...flags, limit, filter }, workplace);
  printAll(events, flags);
  if (events.length === NEWEST && flags.limit === undefined && !flags.follow)
    remark(`These are the latest ${NEWEST}. All of them: --after 0; of a last time: --since 24h`);
  return events.at(-1)?.sequence;
}

async function printFrom(flags: EventsFlags, filter: EventFilter, workplace: Workplace): Promise<number | undefined> {
  let last: number | undefined;
  for await (const events of readAllEvents({ ...flags, filter }, workplace)) {
    printAll(events, flags);
    last = events.at(-1)?.sequence ?? last;
  }
  return last;
}

async function filterOf({ identity, type, since }: EventsFlags, workplace: Workplace): Promise<EventFilter> {
  const of = identity === undefined ? undefined : accepted(await findIdentity(identity, workplace));
  return {
    ...(of && { identityId: of.id }),
    ...(type && { type }),
    ...(since !== undefined && { since: after(await workplace.store.now(), seconds(0 - since)) }),
  };
}

async function follow(start: number, flags: EventsFlags, filter: EventFilter, workplace: Workplace): Promise<never> {
  const { epoch } = await readHistory(workplace.store);
  for (let last = start; ; ) {
    const events = accepted(await readNewEvents({ after: last, limit: FOLLOW_STEP, epoch }, workplace));
    printAll(
      events.filter((event) => passes(event, filter)),
      flags,
    );
    last = events.at(-1)?.sequence ?? last;
    if (events.length === 0) await sleep(POLL_MS);
  }
}

function printAll(events: readonly LoggedEvent[], { json }: EventsFlags): void {
  for (const event of events) {
    if (json) printJsonLine(event);
    else print(eventLine(event));
  }
}

function eventLine(event: LoggedEvent): string {
  const { sequence, at, type, clientId, identityId, subjectId, presenter } = event;
  const parts = [sequence, isoTime(at), type, clientId, identityId, subjectId, presenter?.address, ...notesOf(event)];
  return parts.filter((part) => part !== undefined && part !== '').join('  ');
}

function notesOf({ type, detail, requestId, presenter }: LoggedEvent): string[] {
  const shown = type === 'administered' ? actNotes(detail) : { ...detail };
  const author = type !== 'issued' && detail && 'by' in detail && detail.by && { by: authorWords(detail.by) };
  const notes = { ...shown, ...author, requestId, traceId: presenter?.traceId };
  return Object.entries(notes).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${JSON.stringify(value)}`],
  );
}

/** The id stands in its own column if it is a client id or an identity's. Before and after are in the JSON. */
function actNotes({ kind, id, did, ...facts }: ActEvent['detail']): object {
  const isShown = kind === 'identity' || kind === 'integration' || id === '';
  const changed = 'changed' in facts && { changed: Object.keys(facts.changed).join(', ') };
  return { did: actWords({ kind, id, did, ...facts } as Act), ...(!isShown && { id }), ...facts, ...changed };
}
