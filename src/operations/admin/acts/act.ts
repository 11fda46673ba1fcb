// One administrative act, the same for command, admin door and console: how it is asked for, what goes in and out, and its
// work, which is loaded when it is done. What is no act here stays on the machine: keyring, backup, restore, migrations,
// configuration.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Author } from '../../../core/act.ts';
import { accept } from '../../../core/outcome.ts';
import type { Presenter } from '../../../core/presenter.ts';
import type { Permission } from '../../../core/rules/operator.ts';
import {
  boolean,
  integer,
  list,
  named,
  type ObjectSchema,
  optional,
  type Schema,
  string,
  type ValueOf,
} from '../../../schema.ts';
import { portsOfRequest, type Random, type TokenPorts } from '../../ports.ts';
import type { Acted, AdminOutcome, AdminPorts } from '../admin.ts';

interface Facts {
  /** Of `tessera`. */
  readonly command: string;
  /** Of the console, if one offers it. */
  readonly page?: Page;
  readonly summary: string;
  /** The name in its path, if only some texts can be one. */
  readonly id?: Schema;
}

export type ThingPage = 'integrations' | 'resource-servers' | 'issuers' | 'token-issuers' | 'identities';
type Page = ThingPage | 'grants' | 'events' | 'overview' | 'explain';

type Properties = Record<string, Schema>;

export interface Act<T = unknown> extends Facts {
  readonly permission: Permission;
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** Below the mount of the door. `{id}` names the thing. */
  readonly path: `/${string}`;
  readonly query?: ObjectSchema<Properties>;
  readonly body?: Schema;
  readonly answers: Schema<T>;
  readonly run: (given: Given, ports: ActPorts) => Acted<Answered<T>>;
}

/** What an act is given. The door, or the command, has checked query and body against the schemas of the act. */
export interface Given {
  readonly id?: string | undefined;
  readonly query?: object | undefined;
  readonly body?: unknown;
  /** `absent`: make it, and refuse if it exists. `present`: replace it only. A number: the revision that the thing must have. */
  readonly onlyIf?: number | 'absent' | 'present' | undefined;
}

export interface Answered<T> {
  readonly value: T;
  /** Of the thing, if it can be changed. */
  readonly revision?: number;
  /** Whether this made the thing. */
  readonly isNew?: boolean;
}

/** Query and body are as their schemas say. An act of no thing in particular has the empty id. */
interface Checked<Query extends Properties, Body> extends Pick<Given, 'onlyIf'> {
  readonly id: string;
  readonly query: ValueOf<ObjectSchema<Query>>;
  readonly body: Body;
}

interface Declared<T, Query extends Properties, Body> extends Facts {
  readonly query?: ObjectSchema<Query>;
  readonly body?: Schema<Body>;
  readonly answers: Schema<T>;
  readonly run: (given: Checked<NoInfer<Query>, NoInfer<Body>>, ports: ActPorts) => Acted<Answered<NoInfer<T>>>;
}

export function act<T, Query extends Properties = Record<never, Schema>, Body = undefined>(
  permission: Permission,
  method: Act['method'],
  path: Act['path'],
  declared: Declared<T, Query, Body>,
): Act<T> {
  const run: Act<T>['run'] = ({ id = '', query = {}, body, onlyIf }, ports) => {
    const checked = { id, query, body, onlyIf } as Checked<Query, Body>;
    return declared.run(checked, { ...ports, onlyIf: typeof onlyIf === 'number' ? onlyIf : undefined });
  };
  return { permission, method, path, ...declared, run };
}

/** Maps the value of an outcome. */
export function answering<T, U>(outcome: AdminOutcome<T>, write: (value: T) => U): AdminOutcome<Answered<U>> {
  return outcome.ok ? answer(write(outcome.value)) : outcome;
}

export function answer<T>(value: T): { readonly ok: true; readonly value: Answered<T> } {
  return accept({ value });
}

/** One page of a list. `next`: where the following one begins. */
export interface Listed<T> {
  readonly items: readonly T[];
  readonly next?: string;
}

export const PAGED = {
  limit: optional(integer({ minimum: 1, maximum: 1000, description: 'At most this many. Default: 100.' })),
  cursor: optional(string({ description: 'The next of the page before.' })),
};
export const CONFIRMED = { confirmed: optional(boolean({ description: 'Without it, nothing is done.' })) };

/** Shown once. */
export const SecretObject = named('Secret', { secret: string(), endsAt: optional(string()) });

export const Ended = named('Ended', {
  id: optional(string()),
  endedGrants: optional(integer({ description: 'How many grants ended.' })),
  endedCodes: optional(integer({ description: 'How many codes that nobody had redeemed ended.' })),
});

export function listOf<T>(items: Schema<T>, title: string): Schema<Listed<T>> {
  const next = optional(string({ description: 'The cursor of the next page, if there is one.' }));
  return named(title, { items: list(items), next });
}

export interface ActPorts extends AdminPorts, Pick<TokenPorts, 'unwrittenRefusals'> {
  readonly random: Random;
  /** The public address of the service. */
  readonly issuer: string;
  /** Waits until every node has learned of a change. */
  readonly everyNodeKnows: () => Promise<unknown>;
  /** What requests of callers are judged with, for dry runs. */
  readonly callerPorts: () => Promise<TokenPorts>;
  /** The contents of a file that a command names. Absent where a request names it: it must not choose files to read. */
  readonly readFile?: (path: string) => Uint8Array;
}

/** Nodes read what is registered again every 0.4 seconds. */
const EVERYWHERE_MS = 1_000;

/** For acts by one request: their events say who did it, from where, and by which request. */
export function actPortsOf(
  request: { readonly id: string; readonly presenter: Presenter; readonly by: Author },
  callerPorts: TokenPorts,
  issuer: string,
): ActPorts {
  const { random, unwrittenRefusals } = callerPorts;
  return {
    store: portsOfRequest(callerPorts, request.id, request.presenter).store,
    by: request.by,
    random,
    unwrittenRefusals,
    issuer,
    everyNodeKnows: () => sleep(EVERYWHERE_MS),
    callerPorts: async () => callerPorts,
  };
}
