/** The caller's span, from the header `traceparent` (W3C Trace Context). */
export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  readonly isSampled: boolean;
}

const FORM = /^([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-[!-~]*)?$/;
const MAX_LENGTH = 200;

/** Malformed ones are ignored (W3C Trace Context 3.2). Version 00 has four fields, later ones may add some. */
export function parseTraceParent(text: unknown): TraceParent | undefined {
  if (typeof text !== 'string' || text.length > MAX_LENGTH) return undefined;
  const [, version, traceId, spanId, flags = '', more] = FORM.exec(text) ?? [];
  if (traceId === undefined || spanId === undefined || version === 'ff') return undefined;
  if (version === '00' && more !== undefined) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}
