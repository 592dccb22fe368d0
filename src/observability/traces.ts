// Traces by OpenTelemetry's own library: a span for each request, and below it one for each step of its operation. Loaded only where
// TRACES_ENDPOINT is set; the library is installed by whoever wants it (docs/metrics.md).

import { AsyncLocalStorage } from "node:async_hooks";
import { createRequire } from "node:module";
import {
  type Context,
  defaultTextMapGetter,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { defaultResource, resourceFromAttributes } from "@opentelemetry/resources";
import {
  AlwaysOffSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Onlooker } from "../api/onlookers.ts";
import type { TracesSettings } from "../observability-settings.ts";
import type { Step, Watch } from "./watch.ts";

const { version } = createRequire(import.meta.url)("../../package.json") as { version: string };

export interface Traces {
  readonly watch: Watch;
  readonly onlooker: Onlooker;
  /** Of the request that is worked on. */
  parsed(seconds: number): void;
  /** Sends what is left, if somebody takes it in time. */
  close(): Promise<void>;
}

/** For a collector that is away when the gateway stops. */
const CLOSED_WITHIN_MS = 3_000;

/** @param name of this process among those of a gateway */
export function openTraces({ endpoint, share }: TracesSettings, name: string): Traces {
  const provider = new TracerProvider({
    resource: defaultResource().merge(
      resourceFromAttributes({ "service.name": "faregate", "service.version": version, "faregate.process": name }),
    ),
    sampler: samplerOf(share),
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url: endpoint }) })],
  });
  const tracer = provider.getTracer("faregate", version);
  const current = new AsyncLocalStorage<Context>();
  const context = () => current.getStore() ?? ROOT_CONTEXT;
  return {
    watch: watchBy(tracer, context),
    onlooker: requestsBy(tracer, current),
    parsed: (seconds) => tracer.startSpan("parse", { startTime: Date.now() - seconds * 1_000 }, context()).end(),
    close: () => within(CLOSED_WITHIN_MS, provider.shutdown()),
  };
}

/** Whoever sends a request may say which trace it belongs to, and that it is not to be kept; never that it is. */
function samplerOf(share: number): ParentBasedSampler {
  const some = new TraceIdRatioBasedSampler(share);
  return new ParentBasedSampler({
    root: some,
    remoteParentSampled: some,
    remoteParentNotSampled: new AlwaysOffSampler(),
  });
}

const watchBy = (tracer: Tracer, context: () => Context): Watch => ({
  begin: (step) => {
    const span = tracer.startSpan(step.name, { attributes: attributesOf(step) }, context());
    return (result) => {
      span.setAttribute("faregate.result", result);
      if (result === "fault") span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    };
  },
  concluded: () => undefined,
});

const attributesOf = (step: Step): Readonly<Record<string, string>> =>
  step.name === "ask"
    ? {
        "faregate.operation": step.operation,
        "faregate.processor": step.record.id,
        "faregate.processor.kind": step.record.kind,
      }
    : {};

const propagator = new W3CTraceContextPropagator();

function requestsBy(tracer: Tracer, current: AsyncLocalStorage<Context>): Onlooker {
  const spans = new WeakMap<FastifyRequest, Span>();
  const begin = (request: FastifyRequest): Context => {
    const parent = propagator.extract(ROOT_CONTEXT, request.headers, defaultTextMapGetter);
    const { url: route = "none" } = request.routeOptions;
    const attributes = {
      "http.request.method": request.method,
      "http.route": route,
      "faregate.request_id": request.id,
    };
    const span = tracer.startSpan(`${request.method} ${route}`, { kind: SpanKind.SERVER, attributes }, parent);
    spans.set(request, span);
    return trace.setSpan(parent, span);
  };
  const end = (request: FastifyRequest, { statusCode }: FastifyReply): void => {
    const span = spans.get(request);
    span?.setAttribute("http.response.status_code", statusCode);
    if (statusCode >= 500) span?.setStatus({ code: SpanStatusCode.ERROR });
    span?.end();
  };
  return {
    watch: (app) => {
      app.addHook("onRequest", (request, _reply, done) => current.run(begin(request), done));
      app.addHook("onResponse", (request, reply, done) => {
        end(request, reply);
        done();
      });
    },
    unreadable: () => undefined,
  };
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work.catch(() => undefined), late]).finally(() => clearTimeout(timer));
}
