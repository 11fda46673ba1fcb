// Events as lines for people.
import { type Act, actWords, authorWords } from '../../../core/act.ts';
import type { ActEvent } from '../../../core/event.ts';
import { isoTime } from '../../../core/time.ts';
import type { LoggedEvent } from '../../../store/store.ts';
import { print } from '../../terminal/output.ts';

export function printEventLines(events: readonly LoggedEvent[]): void {
  for (const event of events) print(eventLine(event));
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
