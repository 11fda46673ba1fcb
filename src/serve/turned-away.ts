// The words for requests that are turned away before a door is reached: made once per mount and reason.
import type { RefusalReason } from '../core/refusal.ts';
import { type ErrorKeys, errorBody } from '../doors/authsvc/answers.ts';
import { WORDING } from '../doors/authsvc/wording.ts';
import { JSON_HEADERS } from '../doors/server/json-headers.ts';
import { pathOf } from '../doors/server/methods.ts';
import type { PreparedRefusal } from '../doors/server/prepared-refusal.ts';
import { describe } from '../doors/token/descriptions.ts';

interface Mount {
  readonly path: string;
  readonly errorKeys: ErrorKeys;
}

/** How errors are spelled at an address: as the mount that it lies below does. */
export function errorKeysAt(url: string, mounts: readonly Mount[]): ErrorKeys {
  const path = pathOf(url);
  const [mount] = mounts
    .filter((candidate) => path.startsWith(`${candidate.path.toLowerCase()}/`))
    .sort((a, b) => b.path.length - a.path.length); // a mount may lie below another
  return mount?.errorKeys ?? 'spec';
}

export function preparedRefusals(mounts: readonly Mount[]) {
  const prepared = new Map<string, PreparedRefusal>();
  return (url: string, reason: RefusalReason, isPage: boolean): PreparedRefusal => {
    const form = isPage ? 'page' : errorKeysAt(url, mounts);
    const known = prepared.get(form + reason);
    if (known) return known;
    const made = isPage ? pageOf(reason) : jsonOf(reason, form as ErrorKeys);
    prepared.set(form + reason, made);
    return made;
  };
}

function jsonOf(reason: RefusalReason, keys: ErrorKeys): PreparedRefusal {
  const { status, error } = WORDING[reason];
  const body = JSON.stringify(errorBody(error, describe({ reason }), keys));
  return { status, headers: { ...JSON_HEADERS, 'content-length': String(Buffer.byteLength(body)) }, body };
}

/** Plain, and in one language: the pages of people cost more than can be spent on a request that is turned away. */
function pageOf(reason: RefusalReason): PreparedRefusal {
  const { status } = WORDING[reason];
  const body = `<!doctype html><html lang="en"><title>Tessera</title><p>${describe({ reason })}</p></html>`;
  const headers = { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' };
  return { status, headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) }, body };
}
