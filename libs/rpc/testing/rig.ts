import { createSecretKey, randomBytes } from 'node:crypto';
import type { Caller } from '@worktrack/contracts/caller';
import type { ServiceContract } from '@worktrack/contracts/operation';
import { createRpcClient } from '../client.ts';
import { type Broker, connectBroker } from '../connection.ts';
import { hmacSigner, type RequestSigner } from '../message/signature.ts';
import { serveRpc } from '../server.ts';
import type { Log, RpcHandlers, RpcObserver, ServiceClient } from '../types.ts';

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly fields: Record<string, unknown>;
  readonly message: string;
}

/** What a process would log and measure, for tests to inspect. */
export class Recorder implements RpcObserver {
  readonly lines: LogLine[] = [];
  readonly calls: { operation: string; outcome: string }[] = [];
  readonly handledCalls: { operation: string; outcome: string }[] = [];
  readonly batches: { side: 'request' | 'reply'; items: number }[] = [];
  readonly deadLetters: { queue: string; reason: string }[] = [];
  pendingCalls = 0;
  workingCalls = 0;
  readonly log: Log;
  readonly #allLines: LogLine[];

  /** @param allLines gets a copy of every line */
  constructor(allLines: LogLine[] = []) {
    this.#allLines = allLines;
    this.log = this.#logger({});
  }

  called(operation: string, outcome: string): void {
    this.calls.push({ operation, outcome });
  }
  handled(operation: string, outcome: string): void {
    this.handledCalls.push({ operation, outcome });
  }
  batched(side: 'request' | 'reply', items: number): void {
    this.batches.push({ side, items });
  }
  pending(count: number): void {
    this.pendingCalls = count;
  }
  working(count: number): void {
    this.workingCalls = count;
  }
  deadLettered(queue: string, reason: string): void {
    this.deadLetters.push({ queue, reason });
  }
  errors(): LogLine[] {
    return this.lines.filter(({ level }) => level === 'error');
  }

  #logger(bindings: Record<string, unknown>): Log {
    const at = (level: LogLine['level']) => (fields: object, message: string) => {
      const line = { level, fields: { ...bindings, ...fields }, message };
      this.lines.push(line);
      this.#allLines.push(line);
    };
    return {
      debug: at('debug'),
      info: at('info'),
      warn: at('warn'),
      error: at('error'),
      child: (more) => this.#logger({ ...bindings, ...more }),
    };
  }
}

export interface TestServer {
  readonly broker: Broker;
  readonly seen: Recorder;
  stop(): Promise<void>;
  /** Cuts the connections abruptly, as when the process dies. */
  die(): Promise<void>;
}

export interface TestClient<C extends ServiceContract> {
  readonly broker: Broker;
  readonly seen: Recorder;
  readonly service: ServiceClient<C>;
  close(): Promise<void>;
}

/** Real clients and servers of a contract on one broker. `stop` ends those still running. */
export class RpcRig<C extends ServiceContract> {
  readonly contract: C;
  /** The service's, at its clients and servers. */
  readonly signer = hmacSigner([createSecretKey(randomBytes(32))]);
  readonly #url: string;
  /** For all clients and servers, including future ones. */
  readonly lines: LogLine[] = [];
  /** Ends whatever is still running. */
  readonly open: Set<() => Promise<void>>;

  /** @param owner a rig whose `stop` ends this one's clients and servers too */
  constructor(url: string, contract: C, owner?: { readonly open: Set<() => Promise<void>> }) {
    this.#url = url;
    this.contract = contract;
    this.open = owner?.open ?? new Set();
  }

  async serve(
    handlers: RpcHandlers<C>,
    {
      url = this.#url,
      ...options
    }: { url?: string; signer?: RequestSigner; prefetch?: number; heartbeatSeconds?: number } = {},
  ): Promise<TestServer> {
    const seen = new Recorder(this.lines);
    const { heartbeatSeconds, ...rest } = options;
    const broker = await connectBroker({ url, name: 'test server', log: seen.log, heartbeatSeconds });
    const server = await serveRpc({
      broker,
      contract: this.contract,
      handlers,
      signer: this.signer,
      log: seen.log,
      observer: seen,
      ...rest,
    });
    let dead = false;
    const stop = this.#once(async () => {
      if (!dead) await server.stop();
      await broker.close();
    });
    const die = () => {
      dead = true;
      return stop();
    };
    return { broker, seen, stop, die };
  }

  async client({
    url = this.#url,
    signer = this.signer,
    ...options
  }: {
    url?: string;
    signer?: RequestSigner;
    maxPending?: number;
    heartbeatSeconds?: number;
    signal?: AbortSignal;
  } = {}): Promise<TestClient<C>> {
    const seen = new Recorder(this.lines);
    const { heartbeatSeconds, signal, ...rest } = options;
    const broker = await connectBroker({ url, name: 'test client', log: seen.log, heartbeatSeconds, signal });
    const client = createRpcClient({
      broker,
      signers: { [this.contract.name]: signer },
      log: seen.log,
      observer: seen,
      ...rest,
    });
    const close = this.#once(async () => {
      await client.close();
      await broker.close();
    });
    return { broker, seen, service: client.of(this.contract), close };
  }

  async stop(): Promise<void> {
    await Promise.all([...this.open].map((end) => end()));
  }

  #once(end: () => Promise<void>): () => Promise<void> {
    let ended: Promise<void> | undefined;
    const tracked = () => {
      ended ??= end();
      this.open.delete(tracked);
      return ended;
    };
    this.open.add(tracked);
    return tracked;
  }
}

export const testCaller: Caller = {
  organizationId: '0190a000-0000-7000-8000-000000000001',
  userId: '0190a000-0000-7000-8000-000000000002',
  keyId: '0190a000-0000-7000-8000-000000000003',
  permissions: ['work-items:read', 'work-items:write'],
};

/** A promise and the function that fulfils it, for handlers that a test blocks and releases. */
export class Gate {
  readonly passed: Promise<void>;
  readonly open: () => void;

  constructor() {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.passed = promise;
    this.open = resolve;
  }
}
