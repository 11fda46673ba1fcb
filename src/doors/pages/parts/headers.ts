// Headers of everything the pages door answers.

export const NO_SNIFFING = {
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
} as const;

/** `leadsTo`: where a form's answer may redirect to; browsers check that too. */
export function policyFor(leadsTo = ''): string {
  const forms = ["'self'", leadsTo].filter(Boolean).join(' ');
  return `default-src 'none'; style-src 'self'; img-src 'self'; form-action ${forms}; frame-ancestors 'none'; base-uri 'none'`;
}

/** No script, nothing from other origins, no framing, no caching. */
export const PAGE_HEADERS = {
  ...NO_SNIFFING,
  'content-security-policy': policyFor(),
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'cache-control': 'no-store',
} as const;

/** An operator's logo may be an SVG, which is a document: opened on its own, it may not do anything. */
export const ASSET_HEADERS = {
  ...NO_SNIFFING,
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  'cache-control': 'public, max-age=31536000, immutable',
} as const;

/** RFC 6797. Nothing where the operator turned it off. */
export function strictTransport(lasts: number): Readonly<Record<string, string>> {
  return lasts > 0 ? { 'strict-transport-security': `max-age=${lasts}` } : {};
}
