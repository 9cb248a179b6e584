import { OperationError } from '@worktrack/contracts/errors';
import type { Operation } from '@worktrack/contracts/operation';
import type { Answered, Call, Log, Reply } from '../types.ts';
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

  constructor(options: {
    readonly service: string;
    readonly endpoints: ReadonlyMap<string, Endpoint>;
    readonly open: OpenItems;
    readonly streams: StreamServer | undefined;
    readonly log: Log;
  }) {
    this.#service = options.service;
    this.#endpoints = options.endpoints;
    this.#open = options.open;
    this.#streams = options.streams;
    this.#log = options.log;
  }

  run(items: readonly Item[]): void {
    const groups = new Map<Endpoint, Group>();
    for (const item of items) this.#start(item, groups);
    for (const [endpoint, group] of groups) void this.#runMany(endpoint, group);
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
        handler.one(input, context).then(
          (reply) => this.#succeed(item, endpoint, reply),
          (error) => this.#fail(item, endpoint, error),
        );
      } else if ('many' in handler) {
        const group = groups.get(endpoint) ?? { items: [], calls: [] };
        groups.set(endpoint, group);
        group.items.push(item);
        group.calls.push({ input, context });
      } else {
        this.#streams?.start(item.request, item.delivery.replyTo, endpoint, input);
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
