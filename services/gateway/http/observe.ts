import type { CallTrace, Log } from '@worktrack/rpc/types';
import { traceOf } from '@worktrack/runtime/process/logging';
import { LatencyHistogram } from '@worktrack/runtime/process/metrics';
import { isTraceparent } from '@worktrack/runtime/tracing/trace-context';
import { tracing } from '@worktrack/runtime/tracing/tracing';
import type { Span } from '@worktrack/runtime/tracing/types';
import type { FastifyInstance, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** If calls are traced. */
    span: Span | undefined;
    /** Of the calls that the request leads to: its span, or what a trusted caller gave. */
    trace: CallTrace | undefined;
  }
}

const latency = new LatencyHistogram({
  name: 'worktrack_http_request_seconds',
  help: 'Time from the head of a request to the end of its response, by route, method and status.',
  labelNames: ['route', 'method', 'status'],
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
});

/** One measurement, one span and one log line per request. They have the route, never the URL: a query may contain private data. */
export function observeRequests(
  app: FastifyInstance,
  { log, trustsTraceparent }: { readonly log: Log; readonly trustsTraceparent: boolean },
): void {
  app.decorateRequest('span', undefined);
  app.decorateRequest('trace', undefined);
  app.addHook('onRequest', (request, _reply, done) => {
    const { traceparent: given } = request.headers;
    const traceparent = isTraceparent(given) ? given : undefined;
    const { method, routeOptions } = request;
    if (tracing) {
      request.span = tracing.request(`${method} ${routeOptions.url ?? ''}`.trim(), traceparent, trustsTraceparent);
      request.trace = request.span;
    } else if (trustsTraceparent && traceparent !== undefined) request.trace = { traceparent };
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    // Unknown paths share one label: anybody can make up enough of them to fill the memory.
    const route = request.routeOptions.url ?? 'none';
    const { method } = request;
    const { statusCode: status, elapsedTime: durationMs } = reply;
    endSpan(request, route, status);
    latency.observe({ route, method, status }, durationMs / 1_000, request.span);
    const line = {
      requestId: request.id,
      method,
      route,
      status,
      durationMs: Math.round(durationMs * 10) / 10,
      keyId: request.identity?.key.id,
      ...traceOf(request.span),
    };
    if (status >= 500) log.warn(line, 'Request');
    else log.info(line, 'Request');
    done();
  });
}

/** With the response, or before it for one that goes on until the client leaves. */
export function endSpan(request: FastifyRequest, route: string, status: number): void {
  const { span, method, routeOptions, identity } = request;
  if (!span) return;
  const operation = routeOptions.config?.operation?.name;
  const hasFailed = status >= 500;
  const attributes = () => ({
    'http.request.method': method,
    'http.route': route,
    'http.response.status_code': status,
    'worktrack.outcome': status < 400 ? 'ok' : String(status),
    ...(operation && { 'worktrack.operation': operation }),
    ...(identity && { 'worktrack.organization.id': identity.organization.id }),
    ...(hasFailed && { 'error.type': String(status) }),
  });
  span.end(attributes, hasFailed);
}
