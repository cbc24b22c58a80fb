import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Context,
  DiagLogLevel,
  diag,
  isSpanContextValid,
  SpanKind as Kind,
  ROOT_CONTEXT,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { setSpanStorage } from '../../routers/base/caller.ts';
import type { Logger } from '../../routers/base/context.ts';
import { waitAtMost } from '../shutdown.ts';
import { VERSION } from '../version.ts';
import type { Attributes, OpenSpan, SpanKind, Tracing, TracingSettings } from './tracing.ts';

/** How long sending the last spans may take, in milliseconds. */
const CLOSE_LIMIT = 2000;

/** The longest value of an attribute, in characters. */
const LONGEST_VALUE = 2000;

const KINDS: Record<SpanKind, Kind> = {
  server: Kind.SERVER,
  consumer: Kind.CONSUMER,
  client: Kind.CLIENT,
  internal: Kind.INTERNAL,
};

/** The parent of spans that begin now. */
const current = new AsyncLocalStorage<Context>();
setSpanStorage(current);

/** Records spans with OpenTelemetry, and sends them in batches. */
export function openTelemetry(
  { url, headers, serviceName, ratio }: TracingSettings,
  logger: Logger,
): Tracing {
  const warn = (message: string) => logger.warn({}, `traces: ${message}`);
  const ignore = () => undefined;
  diag.setLogger(
    { error: warn, warn, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': serviceName, 'service.version': VERSION }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
    spanLimits: { attributeValueLengthLimit: LONGEST_VALUE },
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url, headers }) })],
  });
  const tracer = provider.getTracer('colophon', VERSION);

  const begin: Tracing['begin'] = (name, kind, attributes, parent) => {
    const outer = remoteContext(parent) ?? current.getStore() ?? ROOT_CONTEXT;
    const span = tracer.startSpan(
      name,
      { kind: KINDS[kind], attributes: withoutUndefined(attributes) },
      outer,
    );
    const inner = trace.setSpan(outer, span);
    return {
      traceId: span.spanContext().traceId,
      run: (work) => current.run(inner, work),
      end({ name, attributes, isFailed }) {
        if (name !== undefined) span.updateName(name);
        span.setAttributes(withoutUndefined(attributes));
        if (isFailed) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      },
    };
  };
  const within = async <Result>(span: OpenSpan, work: () => Promise<Result>): Promise<Result> => {
    let isFailed = true;
    try {
      const result = await span.run(work);
      isFailed = false;
      return result;
    } finally {
      span.end({ isFailed });
    }
  };
  return {
    begin,
    span: (name, kind, attributes, work) => within(begin(name, kind, attributes), work),
    step: (name, kind, attributes, work) =>
      current.getStore() ? within(begin(name, kind, attributes), work) : work(),
    close: () => waitAtMost(CLOSE_LIMIT, provider.shutdown()),
  };
}

/** The context of a `traceparent` header; undefined if it is not valid. */
function remoteContext(parent: string | undefined): Context | undefined {
  const [, traceId = '', spanId = '', flags = ''] =
    /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(parent ?? '') ?? [];
  const found = { traceId, spanId, traceFlags: Number(`0x${flags}`), isRemote: true };
  return isSpanContextValid(found) ? trace.setSpanContext(ROOT_CONTEXT, found) : undefined;
}

const withoutUndefined = (attributes: Attributes = {}): Record<string, string | number | string[]> =>
  Object.fromEntries(
    Object.entries(attributes).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, typeof value === 'object' ? [...value] : value]],
    ),
  );
