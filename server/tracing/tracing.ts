/** How traces are sent; the OpenTelemetry specification defines the environment variables. */
export interface TracingSettings {
  /** The URL to which traces are posted, with OTLP over HTTP. */
  url: string;
  /** The headers of these requests, which may be secret. */
  headers: Record<string, string>;
  serviceName: string;
  /** The fraction of traces that is sampled, from 0 to 1. */
  ratio: number;
}

export type Attributes = Record<string, string | number | readonly string[] | undefined>;

/** A span that has begun. */
export interface OpenSpan {
  traceId: string;
  /** Runs work whose spans become children of this one. */
  run<Result>(work: () => Result): Result;
  end(outcome: { name?: string; attributes?: Attributes; isFailed: boolean }): void;
}

/** The kind of a span: serving a request, running a job, a request to another system, or other work. */
export type SpanKind = 'server' | 'consumer' | 'client' | 'internal';

/** Records spans of work. */
export interface Tracing {
  /** Begins a span. @param parent the `traceparent` header of the caller */
  begin(name: string, kind: SpanKind, attributes?: Attributes, parent?: string): OpenSpan;
  /** Runs some work in a span. */
  span<Result>(
    name: string,
    kind: SpanKind,
    attributes: Attributes,
    work: () => Promise<Result>,
  ): Promise<Result>;
  /** The same, but only if there is a parent span. */
  step<Result>(
    name: string,
    kind: SpanKind,
    attributes: Attributes,
    work: () => Promise<Result>,
  ): Promise<Result>;
  /** Sends the last spans, for at most a few seconds. */
  close(): Promise<void>;
}
