import { parseObject } from '../../core/json.ts';
import { accept, type Outcome, refuse } from '../../core/outcome.ts';
import type { Refusal } from '../../core/refusal.ts';
import type { TransportReason } from '../http/transport-refusal.ts';

/** The parameters a schema names, each a string or absent. A form may repeat those that the schema says are lists. */
export interface ParameterSchema {
  readonly properties: Readonly<Record<string, { readonly description?: string; readonly type?: unknown }>>;
}

export type BodyForm = 'json' | 'form';

export type Read<T> = Outcome<T, Refusal<TransportReason>>;

const UTF8 = new TextDecoder('utf-8', { fatal: true });

const FORMS: Readonly<Record<string, BodyForm>> = {
  'application/json': 'json',
  'application/x-www-form-urlencoded': 'form',
};

/** The form of a request's body, where the operation takes that form. */
export function formOf(contentType: string | undefined, taken: readonly BodyForm[]): Read<BodyForm> {
  if (contentType === 'application/json' && taken.includes('json')) return accept('json'); // nearly every request
  const [type = '', ...parameters] = (contentType ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const form = Object.hasOwn(FORMS, type) ? FORMS[type] : undefined;
  if (!form || !taken.includes(form))
    return refuse(taken.includes('form') ? 'content-type-unsupported' : 'json-required');
  const charset = parameters.find((parameter) => parameter.startsWith('charset='));
  return !charset || charset.replaceAll('"', '') === 'charset=utf-8' ? accept(form) : refuse('charset-unsupported');
}

/** Unknown parameters are ignored; empty means absent; one that is not a string, or is given twice, is refused. JSON may not repeat unknown keys either. */
export function readParameters<T>(body: unknown, form: BodyForm, schema: ParameterSchema): Read<T> {
  const text = decode(body);
  if (text === undefined) return refuse('body-unreadable');
  return form === 'json' ? readJson(text, schema) : readForm(text, schema);
}

function readJson<T>(text: string, schema: ParameterSchema): Read<T> {
  const value = parseObject(text);
  if (!value) return refuse('body-unreadable');
  const names = Object.keys(value);
  if (names.length > MOST_PARAMETERS) return refuse('body-too-large');
  // Most callers write JSON without spaces, and comparing takes half as long as counting.
  if (JSON.stringify(value) !== text && countMembers(text) !== names.length) return refuse('parameter-repeated');
  const parameters: Record<string, string> = {};
  for (const name of names) {
    if (!Object.hasOwn(schema.properties, name)) continue;
    const given = value[name];
    if (typeof given !== 'string') return refuse('parameter-not-text');
    if (given !== '') parameters[name] = given;
  }
  return accept(parameters as T);
}

/** Known and unknown ones. Finding a parameter takes longer the more there are. */
const MOST_PARAMETERS = 100;

function readForm<T>(text: string, schema: ParameterSchema): Read<T> {
  if (hasMoreThan(MOST_PARAMETERS - 1, '&', text)) return refuse('body-too-large');
  const given = new URLSearchParams(text);
  const parameters: Record<string, string | string[]> = {};
  for (const [name, { type }] of Object.entries(schema.properties)) {
    const values = given.getAll(name);
    const isList = type === 'array';
    if (values.length > 1 && !isList) return refuse('parameter-repeated');
    const [value, ...more] = values.filter(Boolean);
    if (value !== undefined) parameters[name] = isList ? [value, ...more] : value;
  }
  return accept(parameters as T);
}

function hasMoreThan(most: number, separator: string, text: string): boolean {
  let found = 0;
  for (let at = text.indexOf(separator); at >= 0 && found <= most; at = text.indexOf(separator, at + 1)) found += 1;
  return found > most;
}

function decode(body: unknown): string | undefined {
  if (body === undefined) return ''; // a request without a body
  if (!(body instanceof Uint8Array)) return undefined;
  try {
    return UTF8.decode(body);
  } catch {
    return undefined;
  }
}

const STRINGS_AND_MARKS = /"[^"\\]*(?:\\.[^"\\]*)*"|[:{}[\]]/g;

/** How many members the outermost object of a valid JSON text has, counting repeated keys, which JSON.parse merges. */
export function countMembers(text: string): number {
  let [members, depth] = [0, 0];
  for (const mark of text.match(STRINGS_AND_MARKS) ?? []) {
    if (mark === ':' && depth === 1) members += 1;
    else if (mark === '{' || mark === '[') depth += 1;
    else if (mark === '}' || mark === ']') depth -= 1;
  }
  return members;
}
