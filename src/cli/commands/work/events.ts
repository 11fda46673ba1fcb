import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { isoTime } from '../../../operations/admin/iso-time.ts';
import { readEvents, readNewEvents } from '../../../operations/admin/read-events.ts';
import type { LoggedEvent } from '../../../store/store.ts';
import { print } from '../../terminal/output.ts';
import { accepted } from '../../terminal/wording.ts';
import { atWorkplace, type Workplace } from '../../terminal/workplace.ts';

export interface EventsFlags {
  readonly after?: number;
  readonly limit: number;
  readonly follow?: true;
  readonly json?: true;
}

const POLL_MS = 1000;
const FOLLOW_STEP = 500;

export function printEvents(flags: EventsFlags, command: Command): Promise<void> {
  return atWorkplace(command, async (workplace) => {
    const events = await readEvents(flags, workplace);
    printAll(events, flags);
    if (flags.follow) await follow(events.at(-1)?.sequence ?? flags.after ?? 0, flags, workplace);
  });
}

async function follow(after: number, flags: EventsFlags, workplace: Workplace): Promise<never> {
  for (let last = after; ; ) {
    const events = accepted(await readNewEvents({ after: last, limit: FOLLOW_STEP }, workplace));
    printAll(events, flags);
    last = events.at(-1)?.sequence ?? last;
    if (events.length === 0) await sleep(POLL_MS);
  }
}

function printAll(events: readonly LoggedEvent[], { json }: EventsFlags): void {
  for (const event of events) print(json ? JSON.stringify(event) : eventLine(event));
}

function eventLine({ sequence, at, type, clientId, identityId, subjectId, presenter, detail }: LoggedEvent): string {
  const notes = Object.entries(detail ?? {}).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  const parts = [sequence, isoTime(at), type, clientId, identityId, subjectId, presenter?.address, ...notes];
  return parts.filter((part) => part !== undefined && part !== '').join('  ');
}
