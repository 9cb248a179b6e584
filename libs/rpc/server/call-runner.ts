import { OperationError } from '@worktrack/contracts/errors';
import type { Operation } from '@worktrack/contracts/operation';
import type { Answered, BatchTrace, Call, Log, Reply, RpcTracer } from '../types.ts';
import type { Item } from './delivery.ts';
import { admit, contextOf, type Endpoint, failureOf } from './endpoint.ts';
import type { OpenItems } from './open-items.ts';
import type { StreamServer } from './stream-server.ts';

/** RabbitMQ 4 rejects messages above 16 MiB by closing the channel. */
const MAX_OUTPUT_BYTES = 8 * 1024 * 1024;

/** One operation's calls in one message, for a handler that takes them together. */
interface Group {
  readonly items: Item[];
  readonly calls: Call<Operation>[];
}

/** Runs the handlers for a message's items, and replies with the results. */
export class CallRunner {
  readonly #service: string;
  readonly #endpoints: ReadonlyMap<string, Endpoint>;
  readonly #open: OpenItems;
  readonly #streams: StreamServer | undefined;
  readonly #log: Log;
  readonly #tracer: RpcTracer | undefined;

  constructor(options: {
    readonly service: string;
    readonly endpoints: ReadonlyMap<string, Endpoint>;
    readonly open: OpenItems;
    readonly streams: StreamServer | undefined;
    readonly log: Log;
    readonly tracer: RpcTracer | undefined;
  }) {
    this.#service = options.service;
    this.#endpoints = options.endpoints;
    this.#open = options.open;
    this.#streams = options.streams;
    this.#log = options.log;
    this.#tracer = options.tracer;
  }

  run(items: readonly Item[]): void {
    const groups = new Map<Endpoint, Group>();
    const batch = this.#tracer && traced(this.#tracer, items);
    for (const item of items) this.#start(item, groups);
    for (const [endpoint, group] of groups) {
      if (batch) void batch.run(() => this.#runMany(endpoint, group));
      else void this.#runMany(endpoint, group);
    }
  }

  #start(item: Item, groups: Map<Endpoint, Group>): void {
    const { caller, body } = item.request;
    const remainingMs = item.deadlineAtMs - item.startedAtMs;
    if (remainingMs <= 0) {
      this.#open.expire(item);
      return;
    }
    const endpoint = this.#endpoints.get(body[0]);
    if (!endpoint) {
      // A newer gateway with an older replica, as in every rolling update.
      this.#log.error({ operation: body[0] }, 'A call to an operation that this version does not have');
      this.#open.fail(item, {
        code: 'UNAVAILABLE',
        message: `This ${this.#service} has no ${body[0]}.`,
        retryAfterSeconds: 1,
      });
      return;
    }
    this.#open.run(item);
    try {
      const admission = admit(endpoint, caller, body[4]);
      if ('refusal' in admission) {
        this.#open.fail(item, admission.refusal.toValue());
        return;
      }
      const { input } = admission;
      const plain = contextOf(item.request, remainingMs, this.#log);
      const context = item.waiting ? { ...plain, waiting: item.waiting } : plain;
      const { handler } = endpoint;
      if ('one' in handler) {
        const run = () =>
          handler.one(input, context).then(
            (reply) => this.#succeed(item, endpoint, reply),
            (error) => this.#fail(item, endpoint, error),
          );
        if (item.trace) void item.trace.run(run);
        else void run();
      } else if ('many' in handler) {
        const group = groups.get(endpoint) ?? { items: [], calls: [] };
        groups.set(endpoint, group);
        group.items.push(item);
        group.calls.push({ input, context });
      } else {
        this.#streams?.start(item, endpoint, input);
        this.#open.close(item);
      }
    } catch (error) {
      this.#fail(item, endpoint, error);
    }
  }

  async #runMany(endpoint: Endpoint, { items, calls }: Group): Promise<void> {
    if (!('many' in endpoint.handler)) return;
    let answers: readonly Answered<unknown>[];
    try {
      answers = await endpoint.handler.many(calls);
      if (answers.length !== items.length) throw new Error(`${answers.length} answers to ${items.length} calls`);
    } catch (error) {
      for (const item of items) this.#fail(item, endpoint, error);
      return;
    }
    for (const [index, answer] of answers.entries()) {
      const item = items[index] as Item;
      if ('error' in answer) this.#fail(item, endpoint, OperationError.from(answer.error));
      else this.#succeed(item, endpoint, { output: answer.output, replayed: answer.replayed ?? false });
    }
  }

  #succeed(item: Item, endpoint: Endpoint, { output, replayed }: Reply<unknown>): void {
    let payload: string;
    try {
      payload = JSON.stringify(output ?? null);
      if (Buffer.byteLength(payload) > MAX_OUTPUT_BYTES) throw new Error(`an output above ${MAX_OUTPUT_BYTES} bytes`);
    } catch (error) {
      this.#fail(item, endpoint, error);
      return;
    }
    this.#open.succeed(item, payload, replayed);
  }

  #fail(item: Item, endpoint: Endpoint, error: unknown): void {
    this.#open.fail(item, failureOf(endpoint, error, item.request.body[1], this.#log));
  }
}

function traced(tracer: RpcTracer, items: readonly Item[]): BatchTrace | undefined {
  const [first] = items;
  if (!first) return undefined;
  const calls = items.map(({ request: { caller, body } }) => ({
    operation: body[0],
    organizationId: caller?.organizationId,
    traceparent: body[3] ?? undefined,
  }));
  const batch = tracer.incoming(first.delivery.queues.requests, calls);
  for (const [index, item] of items.entries()) item.trace = batch.calls[index];
  return batch;
}
