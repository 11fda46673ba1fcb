import { accept, type Outcome, refuse } from '../../core/outcome.ts';
import type { Refusal } from '../../core/refusal.ts';
import type { TransportReason } from '../server/transport-refusal.ts';

/** The parameters a schema names, each a string or absent. */
interface ParameterSchema {
  readonly properties: Readonly<Record<string, unknown>>;
}

export type BodyForm = 'json' | 'form';

/** The result of reading a request. */
export type Read<T> = Outcome<T, Refusal<TransportReason>>;

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** The form that a Content-Type names; undefined for other types and for charsets other than UTF-8. */
function bodyForm(contentType: string | undefined): BodyForm | undefined {
  if (contentType === 'application/json') return 'json'; // nearly every request
  const [type, ...parameters] = (contentType ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='));
  if (charset && charset.replaceAll('"', '') !== 'charset=utf-8') return undefined;
  if (type === 'application/json') return 'json';
  return type === 'application/x-www-form-urlencoded' ? 'form' : undefined;
}

/** The form of a request's body, where the operation takes that form. */
export function formOf(contentType: string | undefined, taken: readonly BodyForm[]): Read<BodyForm> {
  const form = bodyForm(contentType);
  return form && taken.includes(form) ? accept(form) : refuse('content-type-unsupported');
}

/**
 * Reads the known parameters of a body. Unknown ones are ignored; empty means absent; a known one that is not a string,
 * or that a form gives twice, is refused.
 */
export function readParameters<T>(body: unknown, form: BodyForm, schema: ParameterSchema): Read<T> {
  const text = decode(body);
  if (text === undefined) return refuse('body-unreadable');
  return form === 'json' ? readJson(text, schema) : readForm(text, schema);
}

function readJson<T>(text: string, schema: ParameterSchema): Read<T> {
  const value = parseObject(text);
  if (!value) return refuse('body-unreadable');
  const parameters: Record<string, string> = {};
  for (const name of Object.keys(schema.properties)) {
    if (!Object.hasOwn(value, name)) continue;
    const given = value[name];
    if (typeof given !== 'string') return refuse('parameter-not-text');
    if (given !== '') parameters[name] = given;
  }
  return accept(parameters as T);
}

function readForm<T>(text: string, schema: ParameterSchema): Read<T> {
  const given = new URLSearchParams(text);
  const parameters: Record<string, string> = {};
  for (const name of Object.keys(schema.properties)) {
    const [value, ...more] = given.getAll(name);
    if (more.length > 0) return refuse('parameter-repeated');
    if (value) parameters[name] = value;
  }
  return accept(parameters as T);
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
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
