/** How traces are sent; see the specification of OpenTelemetry for the variables. */
export interface TracingSettings {
  /** The URL to which traces are posted, by OTLP over HTTP. */
  url: string;
  /** Headers of these requests, which may be secret. */
  headers: Record<string, string>;
  serviceName: string;
  /** The share of traces that is kept, from 0 to 1. */
  ratio: number;
}

export type Attributes = Record<string, string | number | readonly string[] | undefined>;

/** A span that has begun. */
export interface OpenSpan {
  traceId: string;
  /** Runs something whose spans are within this one. */
  run<Result>(work: () => Result): Result;
  end(outcome: { name?: string; attributes?: Attributes; isFailed: boolean }): void;
}

/** What a span is about: a request that is served, a job that is taken, or work within these. */
export type SpanKind = 'server' | 'consumer' | 'client' | 'internal';

/** Records what is done and how long it takes. */
export interface Tracing {
  /** @param parent the `traceparent` of whoever asks for it */
  begin(name: string, kind: SpanKind, attributes?: Attributes, parent?: string): OpenSpan;
  /** Does some work in a span of its own. */
  span<Result>(
    name: string,
    kind: SpanKind,
    attributes: Attributes,
    work: () => Promise<Result>,
  ): Promise<Result>;
  /** The same, but only as a part of something that is traced. */
  step<Result>(
    name: string,
    kind: SpanKind,
    attributes: Attributes,
    work: () => Promise<Result>,
  ): Promise<Result>;
  /** Sends the rest, for at most a few seconds. */
  close(): Promise<void>;
}
