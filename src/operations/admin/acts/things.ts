// The acts that all kinds of registered things have.
import type { Permission } from '../../../core/rules/operator.ts';
import { boolean, object, optional, type Schema, type ValueOf } from '../../../schema.ts';
import type { Acted } from '../admin.ts';
import {
  type ActPorts,
  type Answered,
  act,
  CONFIRMED,
  Ended,
  type Given,
  type Listed,
  listOf,
  PAGED,
  type ThingPage,
} from './act.ts';

interface ThingFacts<T> {
  readonly kind: string;
  readonly page: ThingPage;
  /** The name of the schema in documents. */
  readonly title: string;
  readonly schema: Schema<T>;
  readonly id: Schema;
  /** What a list may be asked for. */
  readonly filter?: typeof ALL;
}

export const ALL = { all: optional(boolean({ description: 'Include ended ones.' })) };

/** The work of these acts. */
export interface ThingWork<T> {
  readonly list: (query: object, ports: ActPorts) => Acted<Answered<Listed<T>>>;
  readonly show: (id: string, ports: ActPorts) => Acted<Answered<T>>;
  readonly put: (given: Given & { readonly id: string; readonly body: T }, ports: ActPorts) => Acted<Answered<T>>;
  readonly remove: (id: string, confirmed: boolean, ports: ActPorts) => Acted<Answered<ValueOf<typeof Ended>>>;
}

export function actsOnThings<T>(
  { kind, page, title, schema, id, filter }: ThingFacts<T>,
  work: () => Promise<ThingWork<T>>,
) {
  const [all, one] = [`/${page}`, `/${page}/{id}`] as const;
  return {
    list: (permission: Permission, summary: string) =>
      act(permission, 'GET', all, {
        ...{ command: `${kind} list`, page, summary },
        query: object({ ...filter, ...PAGED }),
        answers: listOf(schema, `${title}List`),
        run: async ({ query }, ports) => (await work()).list(query, ports),
      }),
    show: (permission: Permission, summary: string) =>
      act(permission, 'GET', one, {
        ...{ command: `${kind} show`, page, summary },
        answers: schema,
        run: async ({ id: name }, ports) => (await work()).show(name, ports),
      }),
    put: (permission: Permission, summary: string) =>
      act(permission, 'PUT', one, {
        ...{ command: `${kind} add, change`, page, summary },
        ...{ id, body: schema, answers: schema },
        run: async (given, ports) => (await work()).put(given, ports),
      }),
    remove: (permission: Permission, summary: string) =>
      act(permission, 'DELETE', one, {
        ...{ command: `${kind} remove`, page, summary },
        query: object(CONFIRMED),
        answers: Ended,
        run: async ({ id: name, query: { confirmed = false } }, ports) => (await work()).remove(name, confirmed, ports),
      }),
  };
}
