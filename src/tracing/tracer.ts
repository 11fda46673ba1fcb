import { AsyncLocalStorage } from 'node:async_hooks';
import type { TraceParent } from '../core/trace-parent.ts';

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

/** A span that has begun. Work inside it finds it as `tracer.current`. */
export interface OpenSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | undefined;
  readonly isSampled: boolean;
}

export interface TracerOptions {
  readonly random: (length: number) => Buffer;
  /** How many of a hundred traces that begin here are recorded. */
  readonly samplePercent: number;
  readonly record: (span: Span) => void;
}

export class Tracer {
  readonly #options: TracerOptions;
  readonly #current = new AsyncLocalStorage<OpenSpan>();

  constructor(options: TracerOptions) {
    this.#options = options;
  }

  /** The recorded span that this work belongs to. */
  get current(): OpenSpan | undefined {
    return this.#current.getStore();
  }

  /** A caller's trace is recorded if the caller records it. */
  open(parent: TraceParent | OpenSpan | undefined): OpenSpan {
    const spanId = this.#options.random(8).toString('hex');
    if (parent) return { traceId: parent.traceId, spanId, parentId: parent.spanId, isSampled: parent.isSampled };
    const traceId = this.#options.random(16).toString('hex');
    return { traceId, spanId, parentId: undefined, isSampled: this.#isChosen(traceId) };
  }

  within<T>(span: OpenSpan, work: () => T): T {
    return this.#current.run(span, work);
  }

  record(span: OpenSpan, what: Omit<Span, 'traceId' | 'spanId' | 'parentId'>): void {
    if (!span.isSampled) return;
    const { traceId, spanId, parentId } = span;
    this.#options.record({ traceId, spanId, parentId, ...what });
  }

  /** By the random id, so that every service with the same share chooses the same traces. */
  #isChosen(traceId: string): boolean {
    return Number.parseInt(traceId.slice(-8), 16) < (this.#options.samplePercent / 100) * 2 ** 32;
  }
}
