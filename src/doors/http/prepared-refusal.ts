// Refusals as bytes prepared once, for requests that are turned away before any work is done for them.
import { JSON_HEADERS } from './answers.ts';

export interface PreparedRefusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export function prepareJson(status: number, body: string): PreparedRefusal {
  return { status, headers: { ...JSON_HEADERS, 'content-length': String(Buffer.byteLength(body)) }, body };
}

export function withAllow(refusal: PreparedRefusal, allow: string): PreparedRefusal {
  return { ...refusal, headers: { allow, ...refusal.headers } };
}

export function prepareOnce<K>(make: (key: K) => PreparedRefusal): (key: K) => PreparedRefusal {
  const prepared = new Map<K, PreparedRefusal>();
  return (key) => {
    const known = prepared.get(key);
    if (known) return known;
    const made = make(key);
    prepared.set(key, made);
    return made;
  };
}
