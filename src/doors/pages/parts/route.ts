import type { Answer } from './answer.ts';
import type { PersonVisit, Visit } from './visit.ts';

/** The fields that were filled in. */
export type Form = Readonly<Record<string, string>>;

export interface PageRoute {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Its name in log lines and metrics. */
  readonly operation: string;
  /** The fields of its form. */
  readonly fields: readonly string[];
  readonly handle: (visit: Visit, form: Form) => Promise<Answer>;
}

/** For signed-in people only; others are asked to sign in first. */
export function forPerson(
  handle: (visit: PersonVisit, form: Form) => Promise<Answer>,
): (visit: Visit, form: Form) => Promise<Answer> {
  return async (visit, form) => {
    const { person } = visit;
    return person ? handle({ ...visit, person }, form) : { goTo: '/account/sign-in' };
  };
}

export function show(path: string, operation: string, handle: PageRoute['handle']): PageRoute {
  return { method: 'GET', path, operation, fields: [], handle };
}

export function take(
  path: string,
  operation: string,
  fields: readonly string[],
  handle: PageRoute['handle'],
): PageRoute {
  return { method: 'POST', path, operation, fields, handle };
}
