import type { Answer } from './answer.ts';
import type { PersonVisit, Visit } from './visit.ts';

/** The fields that were filled in. */
export type Form = Readonly<Record<string, string>>;

export interface PageRoute {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Its name in log lines and metrics. */
  readonly operation: string;
  readonly fields: readonly string[];
  /** Whether it is the same for everybody. It needs no session and no store, so it can be read during an outage. */
  readonly isForAll?: true;
  readonly handle: (visit: Visit, form: Form) => Promise<Answer>;
}

/** For signed-in people only; others are asked to sign in first. */
export function forPerson(handle: (visit: PersonVisit, form: Form) => Promise<Answer>): PageRoute['handle'] {
  return async (visit, form) => {
    const { person } = visit;
    return person ? handle({ ...visit, person }, form) : { goTo: '/account/sign-in' };
  };
}

export function show(path: string, operation: string, handle: PageRoute['handle']): PageRoute {
  return { method: 'GET', path, operation, fields: [], handle };
}

export function showToAll(path: string, operation: string, handle: PageRoute['handle']): PageRoute {
  return { ...show(path, operation, handle), isForAll: true };
}

export function take(
  path: string,
  operation: string,
  fields: readonly string[],
  handle: PageRoute['handle'],
): PageRoute {
  return { method: 'POST', path, operation, fields, handle };
}
