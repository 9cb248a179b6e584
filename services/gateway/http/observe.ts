import type { Log } from '@worktrack/rpc/types';
import { registry } from '@worktrack/runtime/process/metrics';
import type { FastifyInstance } from 'fastify';
import { Histogram } from 'prom-client';

const latency = new Histogram({
  name: 'worktrack_http_request_seconds',
  help: 'Time from the head of a request to the end of its response, by route, method and status.',
  labelNames: ['route', 'method', 'status'],
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  registers: [registry],
});

/** One measurement and one log line per request. The line has the route, never the URL: a query may contain private data. */
export function observeRequests(app: FastifyInstance, log: Log): void {
  app.addHook('onResponse', (request, reply, done) => {
    // Unknown paths share one label: anybody can make up enough of them to fill the memory.
    const route = request.routeOptions.url ?? 'none';
    const { method } = request;
    const { statusCode: status, elapsedTime: durationMs } = reply;
    latency.observe({ route, method, status }, durationMs / 1_000);
    const line = {
      requestId: request.id,
      method,
      route,
      status,
      durationMs: Math.round(durationMs * 10) / 10,
      keyId: request.identity?.key.id,
    };
    if (status >= 500) log.warn(line, 'Request');
    else log.info(line, 'Request');
    done();
  });
}
