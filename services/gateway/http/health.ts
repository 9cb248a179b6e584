import type { Readiness } from '@worktrack/runtime/process/service';
import type { FastifyInstance } from 'fastify';

/** The checks call every service, and this port is public: concurrent requests share one check. */
const REMEMBERED_MS = 1_000;

/** The same as on the ops port, for clients that can reach only the public one. Metrics are not included. */
export function registerHealth(app: FastifyInstance, readiness: () => Promise<Readiness>): void {
  let asked: { readonly atMs: number; readonly answer: Promise<Readiness> } | undefined;
  app.get('/health/live', async () => ({ status: 'live' }));
  app.get('/health/ready', async (_request, reply) => {
    if (!asked || performance.now() - asked.atMs > REMEMBERED_MS)
      asked = { atMs: performance.now(), answer: readiness() };
    const answer = await asked.answer;
    return reply.code(answer.ready ? 200 : 503).send(answer);
  });
}
