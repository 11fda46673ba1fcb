import type { Event } from './event.ts';
import { isoTime } from './time.ts';

export const EVENT_COLUMNS = 'sequence at type clientId identityId subjectId address agent requestId detail'.split(' ');

/** One line, by RFC 4180. */
export function eventAsCsv({ presenter, detail, at, ...event }: Event & { readonly sequence: number }): string {
  const { sequence, type, clientId, identityId, subjectId, requestId } = event;
  const from = [presenter?.address, presenter?.agent, requestId];
  const cells = [sequence, isoTime(at), type, clientId, identityId, subjectId, ...from];
  return [...cells, detail && JSON.stringify(detail)].map((cell) => csvCell(String(cell ?? ''))).join(',');
}

/** A text that a spreadsheet would take for a formula gets an apostrophe. */
export function csvCell(text: string): string {
  const inert = /^[=+@\t\r-]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}
