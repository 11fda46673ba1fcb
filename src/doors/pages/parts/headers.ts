export const NO_SNIFFING = {
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
} as const;

const POLICY = "default-src 'none'; style-src 'self'; img-src 'self'; frame-ancestors 'none'; base-uri 'none'";

export interface PolicyNeeds {
  /** Its forms may end in a redirect to a program: browsers apply `form-action` to wherever that redirects in turn. */
  readonly leadsToProgram?: boolean | undefined;
  readonly hasScript?: boolean | undefined;
}

/** No script unless it is needed, and never one in the page. */
export function contentPolicy({ leadsToProgram, hasScript }: PolicyNeeds): string {
  const script = hasScript ? "; script-src 'self'; connect-src 'self'" : '';
  return `${POLICY}${script}${leadsToProgram ? '' : "; form-action 'self'"}`;
}

/** Nothing from other origins, no framing, no caching. */
export const PAGE_HEADERS = {
  ...NO_SNIFFING,
  'content-security-policy': contentPolicy({}),
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
