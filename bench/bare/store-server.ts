import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';
import { fastify } from 'fastify';
import mongoose, { type mongo } from 'mongoose';
import type { BareItem, Fill } from '../work-items/fill.ts';

/**
 * Work items as a single Fastify process would store them with MongoDB's driver. Each write is one transaction of the item and its event, as durable as in
 * worktrack; each read is one indexed query. It has no keys, checks, numbers, order within columns or exactly-once writes. Started with a channel to its
 * parent, and MONGODB_URL.
 */
interface Event {
  _id: string;
  itemId: string;
  type: string;
  data: object;
  at: Date;
}
type Work = (session: mongo.ClientSession) => Promise<unknown>;

const TRANSACTION: mongo.TransactionOptions = {
  readConcern: { level: 'snapshot' },
  writeConcern: { w: 'majority', journal: true },
};
/** How many of the first ones to choose from at random: concurrent callers using the same item would only conflict. */
const CLAIM_AMONG = 64;
const PAGE = 50;

const client = await new mongoose.mongo.MongoClient(process.env.MONGODB_URL ?? '', { maxPoolSize: 64 }).connect();
const database = client.db(`bench${process.ppid}_bare`);
const items = database.collection<BareItem>('items');
const events = database.collection<Event>('events');
await items.createIndexes([
  { key: { projectId: 1, _id: 1 } },
  { key: { boardColumnId: 1, _id: 1 } },
  { key: { taskId: 1 } },
  { key: { words: 1 } },
]);
await events.createIndex({ itemId: 1, at: 1 });

const app = fastify({ bodyLimit: 64 * 1024 * 1024 });
const columns = { toDo: '', inProgress: '' };

const event = (itemId: string, type: string, data: object): Event => ({
  _id: randomUUID(),
  itemId,
  type,
  data,
  at: new Date(),
});
const inTransaction = (work: Work) =>
  client.withSession((session) => session.withTransaction(() => work(session), TRANSACTION));

/** One update of the item, and its event. */
async function change(id: string, $set: Partial<BareItem>, type: string, data: object = $set): Promise<void> {
  await inTransaction(async (session) => {
    await items.updateOne({ _id: id }, { $set: { ...$set, updatedAt: new Date() }, $inc: { version: 1 } }, { session });
    await events.insertOne(event(id, type, data), { session });
  });
}

app.post('/fill', async ({ body }) => {
  const { items: given, toDo, inProgress } = body as Fill;
  // The last project filled is the one whose items are claimed.
  Object.assign(columns, { toDo, inProgress });
  await items.insertMany(given.map((item) => ({ ...item, createdAt: new Date(), updatedAt: new Date() })));
  return { success: true };
});

app.post('/api/work-items', async ({ body }, reply) => {
  const fields = body as Omit<BareItem, '_id' | 'taskId' | 'words' | 'version'>;
  const _id = randomUUID();
  const now = new Date();
  const words = fields.title.toLowerCase().split(' ');
  const item: BareItem = { _id, taskId: _id, ...fields, words, version: 1, createdAt: now, updatedAt: now };
  await inTransaction(async (session) => {
    await items.insertOne(item, { session });
    await events.insertOne(event(_id, 'created', item), { session });
  });
  return reply.code(201).send({ success: true, data: item });
});

app.patch('/api/work-items/:id', async ({ params, body }) => {
  const { id } = params as { id: string };
  await change(id, body as Partial<BareItem>, 'updated');
  return { success: true, data: { id, ...(body as object) } };
});

app.post('/api/work-items/:id/move', async ({ params, body }) => {
  const { id } = params as { id: string };
  const { boardColumnId } = body as { boardColumnId: string };
  await change(id, { boardColumnId }, 'moved');
  return { success: true, data: { id, boardColumnId } };
});

app.post('/api/work-items/:id/ai-completion', async ({ params, body }) => {
  const { id } = params as { id: string };
  const { reviewColumnId, ...session } = body as { reviewColumnId: string };
  await change(id, { boardColumnId: reviewColumnId }, 'ai_session', session);
  return { success: true, data: { id, completed: true } };
});

app.post('/api/work-items/:id/comments', async ({ params, body }, reply) => {
  const { id } = params as { id: string };
  await change(id, {}, 'comment', body as object);
  return reply.code(201).send({ success: true, data: { event: body } });
});

app.post('/api/work-items/batch-move', async ({ body }) => {
  const { workItemIds, boardColumnId } = body as { workItemIds: string[]; boardColumnId: string };
  await inTransaction(async (session) => {
    const $set = { boardColumnId, updatedAt: new Date() };
    await items.updateMany({ _id: { $in: workItemIds } }, { $set, $inc: { version: 1 } }, { session });
    await events.insertMany(
      workItemIds.map((id) => event(id, 'moved', { boardColumnId })),
      { session },
    );
  });
  return { success: true, data: { movedCount: workItemIds.length } };
});

app.post('/api/work-items/claim', async ({ body }) => {
  const { agent } = body as { agent: string };
  const boardColumnId = columns.toDo;
  let claimed: BareItem | undefined;
  await inTransaction(async (session) => {
    const first = await items.find({ boardColumnId }, { session }).sort({ _id: 1 }).limit(CLAIM_AMONG).toArray();
    claimed = first[Math.floor(Math.random() * first.length)];
    if (!claimed) return;
    const $set = { boardColumnId: columns.inProgress, assignee: agent };
    await items.updateOne({ _id: claimed._id, boardColumnId }, { $set, $inc: { version: 1 } }, { session });
    await events.insertOne(event(claimed._id, 'moved', $set), { session });
  });
  return { success: true, data: { claimed: claimed !== undefined, workItem: claimed ?? null } };
});

app.get('/api/work-items/:id', async ({ params }) => {
  const { id } = params as { id: string };
  return { success: true, data: await items.findOne({ _id: id }) };
});

app.get('/api/work-items', async ({ query }) => {
  const { projectId, search } = query as { projectId: string; search?: string };
  const filter = search === undefined ? { projectId } : { words: search, projectId };
  return { success: true, data: { workItems: await items.find(filter).sort({ _id: -1 }).limit(PAGE).toArray() } };
});

const resolve = async (ids: readonly string[]) => ({
  items: await items.find({ taskId: { $in: [...ids] } }).toArray(),
});
app.post('/api/work-items/resolve', async ({ body }) => ({
  success: true,
  data: await resolve((body as { ids: string[] }).ids),
}));

/** The SDK's low-level server, as its documentation shows it. */
const mcp = toNodeHandler(
  createMcpHandler(() => {
    const server = new Server({ name: 'bare', version: '1.0.0' }, { capabilities: { tools: {} } });
    server.setRequestHandler('tools/call', async ({ params }) => {
      const structuredContent = await resolve((params.arguments as { ids: string[] }).ids);
      return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
    });
    return server;
  }),
);
app.post('/mcp', async (request, reply) => {
  reply.hijack();
  await mcp(request.raw, reply.raw, request.body);
});

await app.listen({ host: '127.0.0.1', port: 0 });
process.send?.((app.server.address() as AddressInfo).port);
process.on('disconnect', () => process.exit());
