// Events as lines for people.
import { type Act, actWords, authorWords, type Changed, type Fact } from '../../core/act.ts';
import type { ActEvent } from '../../core/event.ts';
import { isoTime } from '../../core/time.ts';
import type { LoggedEvent } from '../../store/store.ts';
import { print } from '../terminal/output.ts';

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
  const notes: Readonly<Record<string, unknown>> = { ...shown, ...author, requestId, traceId: presenter?.traceId };
  return Object.entries(notes).flatMap(([name, value]) => {
    if (value === undefined) return [];
    return name === 'changed' ? changeNotes(value as Changed['changed']) : [`${name}=${JSON.stringify(value)}`];
  });
}

/** Field by field. Events of 0.2 have names only. */
function changeNotes(changed: Changed['changed']): string[] {
  return Object.entries(changed).map(([name, { before, after }]) =>
    before === undefined && after === undefined
      ? `${name} changed`
      : `${name}: ${factText(before)} -> ${factText(after)}`,
  );
}

export function wholeFact(fact: Fact | undefined): string {
  return fact === undefined ? 'none' : JSON.stringify(fact);
}

/** A list of rules, or a certificate, is whole in the JSON only. */
function factText(fact: Fact | undefined): string {
  const text = wholeFact(fact);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

/** The id stands in its own column if it is a client id or an identity's. */
function actNotes({ kind, id, did, ...facts }: ActEvent['detail']): object {
  const isShown = kind === 'identity' || kind === 'integration' || id === '';
  return { did: actWords({ kind, id, did, ...facts } as Act), ...(!isShown && { id }), ...facts };
}
