import { NOTICES } from '../parts/texts/catalogue.ts';
import { queryOf, type Visit } from '../parts/visit.ts';

/** The result of the previous step: one of a few constant texts, named in the address. */
export function noticeOf(visit: Visit): string | undefined {
  const done = NOTICES.find((notice) => notice === queryOf(visit, 'done'));
  return done && visit.language.texts.notices[done];
}
