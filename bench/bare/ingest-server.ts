import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { connectDatabase } from '@worktrack/runtime/database/connection';
import { createLog } from '@worktrack/runtime/process/logging';
import { fastify } from 'fastify';
import mongoose from 'mongoose';

/**
 * What people write first: one process, one insert per request, acknowledged as durably as worktrack's, over a connection with the same
 * driver settings. No checks, no limits. Started with a channel to its parent, and MONGODB_URL.
 */
const { MONGODB_URL: url = '' } = process.env;
await connectDatabase({ url, database: `bench${process.ppid}_bare`, log: createLog('bare', 'silent') });
const items = mongoose.connection.collection<{ _id: string }>('items');
await items.createIndex({ organizationId: 1, _id: 1 });
await items.createIndex({ organizationId: 1, createdAt: -1, _id: -1 });
await items.createIndex({ organizationId: 1, linkedWorkItemIds: 1 });

const app = fastify();
app.post('/feedback/ingest', async (request, reply) => {
  const { message, category, email, pageUrl, locale } = request.body as Record<string, string>;
  const now = new Date();
  const _id = randomUUID();
  await items.insertOne(
    {
      _id,
      organizationId: 'organization',
      sourceId: 'source',
      status: 'new',
      ...{ message, category, email, pageUrl, locale },
      linkedWorkItemIds: [],
      createdAt: now,
      updatedAt: now,
    } as { _id: string },
    { writeConcern: { w: 'majority', journal: true } },
  );
  return reply.code(201).send({ success: true, data: { id: _id, status: 'new', createdAt: now.toISOString() } });
});
await app.listen({ host: '127.0.0.1', port: 0 });
process.send?.((app.server.address() as AddressInfo).port);
process.on('disconnect', () => process.exit());
