/** RFC 6749 5.1: JSON, never stored by anyone on the way, and never taken for anything else. */
export const JSON_HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  pragma: 'no-cache',
  'x-content-type-options': 'nosniff',
};
