import type { IncomingHttpHeaders } from 'node:http';
import { readWeighted } from './weighted-list.ts';

const FORMS: Readonly<Record<string, 'page' | 'json'>> = {
  'text/html': 'page',
  'application/xhtml+xml': 'page',
  'application/json': 'json',
};

/** What Accept asks for by name: browsers name HTML. Undefined: anything, which most programs send. */
export function wantedForm({ accept }: IncomingHttpHeaders): 'page' | 'json' | undefined {
  const [first] = readWeighted(accept).filter((type) => Object.hasOwn(FORMS, type));
  return first === undefined ? undefined : FORMS[first];
}
