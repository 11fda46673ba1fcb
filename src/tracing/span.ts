/** What happened for how long, as part of a trace. Never contains a secret. */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId?: string | undefined;
  readonly name: string;
  readonly kind: SpanKind;
  /** Times of `performance.now()`. */
  readonly start: number;
  readonly end: number;
  readonly attributes: Attributes;
  /** The class of what went wrong, if anything did. */
  readonly error?: string | undefined;
}

/** `server`: a request to us. `client`: a request of ours. */
export type SpanKind = 'internal' | 'server' | 'client';

export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;
