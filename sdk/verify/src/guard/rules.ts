// Which resource server and scope a request needs: by host, then by the longest path, then by method.
import { readSegments, type Segments, withoutParameters } from './path.ts';

/** As it is written in the file. */
export interface Rule {
  /** Absent: any host that has no rules of its own. */
  readonly host?: string;
  /** It and everything below it. */
  readonly path: string;
  /** Absent: any. */
  readonly methods?: readonly string[];
  /** Methods that need no token. */
  readonly open?: readonly string[];
  readonly audience: string;
  /** The permissions that are needed, with spaces between them. Empty: any good token. */
  readonly scope: string;
}

/** What a caller has asked a proxy for. */
export interface Asked {
  readonly method: string;
  /** In lower case, without a port. */
  readonly host: string;
  /** The path with its query, as the caller wrote it. */
  readonly target: string;
}

export interface Needed {
  readonly audience: string;
  readonly scope: readonly string[];
  readonly isOpen: boolean;
  /** Its number in the file, from 1; absent if the address of the guard says what is needed. */
  readonly rule?: number;
}

/** Why nothing is asked for: the request cannot be read (400), or no rule names it (403). */
export interface Unmatched {
  readonly status: 400 | 403;
  readonly why: string;
}

interface Entry extends Needed {
  readonly segments: Segments;
  readonly folded: Segments;
  readonly methods: ReadonlySet<string> | undefined;
  readonly open: ReadonlySet<string>;
}

export class Rules {
  /** By host; those without one under the empty text. The longest path comes first. */
  readonly #byHost = new Map<string, Entry[]>();

  constructor(rules: readonly Rule[]) {
    for (const [index, rule] of rules.entries()) {
      const host = rule.host?.toLowerCase() ?? '';
      this.#byHost.set(host, [...(this.#byHost.get(host) ?? []), entryOf(rule, index + 1)]);
    }
    for (const entries of this.#byHost.values()) entries.sort((one, other) => depthOf(other) - depthOf(one));
  }

  match({ method, host, target }: Asked): Needed | Unmatched {
    const segments = readSegments(target);
    if (typeof segments === 'string') return { status: 400, why: segments };
    const folded = segments.map(fold);
    const entries = this.#byHost.get(host) ?? this.#byHost.get('') ?? [];
    const nearest = entries.find((entry) => entry.folded.every((segment, index) => folded[index] === segment));
    if (!nearest) return { status: 403, why: 'no rule names this host and path' };
    const named = segments.slice(0, depthOf(nearest));
    const first = entries.find((entry) => isSame(entry.segments, named));
    if (!first) return { status: 400, why: 'a segment that a rule names is written in another way' };
    const found = entries.find((entry) => isSame(entry.segments, first.segments) && takes(entry, method));
    if (!found) return { status: 403, why: 'no rule names this method for this path' };
    return { audience: found.audience, scope: found.scope, isOpen: found.open.has(method), rule: found.rule as number };
  }
}

export function wordsIn(scope: string): string[] {
  return scope.split(' ').filter((word) => word !== '');
}

function entryOf({ path, methods, open = [], audience, scope }: Rule, rule: number): Entry {
  const segments = path.split('/').filter((segment) => segment !== '');
  const taken = methods && new Set([...methods, ...open]);
  const folded = segments.map(fold);
  return {
    segments,
    folded,
    methods: taken,
    open: new Set(open),
    audience,
    scope: wordsIn(scope),
    isOpen: false,
    rule,
  };
}

/** What some servers take for the same: other case, parameters, and spaces or dots at the end. */
function fold(segment: string): string {
  return withoutParameters(segment)
    .toLowerCase()
    .replace(/[ .]+$/, '');
}

function takes({ methods }: Entry, method: string): boolean {
  return methods?.has(method) ?? true;
}

function depthOf({ segments }: Entry): number {
  return segments.length;
}

function isSame(one: Segments, other: Segments): boolean {
  return one.length === other.length && one.every((segment, index) => segment === other[index]);
}
