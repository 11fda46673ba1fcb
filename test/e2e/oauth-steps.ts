// Steps at the oauth door.
import assert from 'node:assert/strict';
import { type Answer, type Caller, form } from './caller.ts';

export type Fields = Readonly<Record<string, string>>;

export function postForm(caller: Caller, path: string, fields: Fields | string, headers: Fields = {}): Promise<Answer> {
  const { headers: own, ...rest } = form(fields);
  return caller.ask({ path, ...rest, headers: { ...own, ...headers } });
}

export function basic(user: string, password = ''): Fields {
  return { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` };
}

/** RFC 6749 5.2: the two members, a description in ASCII, and never cached. */
export function assertRefused(answer: Answer, status: number, error: string): void {
  assert.deepEqual([answer.status, answer.json?.['error']], [status, error], answer.text);
  assert.deepEqual(Object.keys(answer.json), ['error', 'error_description']);
  assert.match(String(answer.json['error_description']), /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
  assert.equal(answer.headers['cache-control'], 'no-store');
}
