import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { TestOrganization } from '../support/organization.ts';
import {
  type Acknowledged,
  type Attempt,
  rest,
  type Send,
  tool,
  untilAcknowledged,
  type Violations,
} from './attempt.ts';
import type { Ledger } from './ledger.ts';

export interface LoadTarget {
  readonly gateways: readonly string[];
  readonly organization: TestOrganization;
  /** For a source without a captcha, restrictions or rates that this load would hit. */
  readonly publicKey: string;
}

const WORKERS = 6;
const VISITORS = 2;
/** A token lives for 15 minutes, and only a certain number are given to one address per minute. */
const TOKEN_AGE_MS = 5 * 60_000;

/** Clients that work until they are stopped; each finishes its current call. */
export class Load {
  readonly attempts: Attempt[] = [];
  /** Between two calls of a client. */
  pauseMs = 0;
  readonly #target: LoadTarget;
  readonly #ledger: Ledger;
  readonly #violations: Violations;
  #running = true;
  readonly #clients: Promise<void>[];

  constructor(target: LoadTarget, ledger: Ledger, violations: Violations) {
    this.#target = target;
    this.#ledger = ledger;
    this.#violations = violations;
    this.#clients = [
      ...Array.from({ length: WORKERS }, (_, number) => this.#work(number)),
      ...Array.from({ length: VISITORS }, (_, number) => this.#visit(number)),
    ];
    // Reported at the stop; until then the other clients continue.
    for (const client of this.#clients) client.catch(() => undefined);
  }

  async stop(): Promise<void> {
    this.#running = false;
    await Promise.all(this.#clients);
  }

  async #call(what: string, send: Send, client: number): Promise<Acknowledged> {
    if (this.pauseMs > 0) await delay(this.pauseMs);
    // Half of the clients begin with the other gateway.
    const gateways = client % 2 ? [...this.#target.gateways].reverse() : this.#target.gateways;
    return untilAcknowledged(what, send, gateways, this.attempts, this.#violations);
  }

  /** One item after another, through its whole life: half of the steps over REST, half over MCP. */
  async #work(client: number): Promise<void> {
    const { organization } = this.#target;
    const { apiKey, boardId, columns, projectId } = organization;
    const ledger = this.#ledger;
    while (this.#running) {
      const title = `Item ${randomUUID()}`;
      const created = await this.#call(
        'create',
        rest('POST', '/api/work-items', apiKey, {
          title,
          type: 'task',
          boardId,
          boardColumnId: columns.Backlog,
          projectId,
        }),
        client,
      );
      const itemId = String(created.data.id);
      ledger.write({ kind: 'created', itemId, title, version: Number(created.data.version) });

      for (let count = 1; count <= 2 && this.#running; count++) {
        const updated = await this.#call(
          'update',
          rest('PATCH', `/api/work-items/${itemId}`, apiKey, { metadata: { count } }),
          client,
        );
        ledger.write({ kind: 'updated', itemId, count, version: Number(updated.data.version) });
      }
      for (const toColumn of ['To Do', 'In Progress']) {
        const moved = await this.#call(
          'move',
          tool('move_work_item', apiKey, { workItemId: itemId, boardColumnId: columns[toColumn] }),
          client,
        );
        const { version } = moved.data.workItem as { version: number };
        ledger.write({ kind: 'moved', itemId, toColumn, version });
      }
      const text = `Comment ${randomUUID()}`;
      await this.#call('comment', tool('add_work_item_comment', apiKey, { workItemId: itemId, text }), client);
      ledger.write({ kind: 'commented', itemId, text });
      const totalTokens = 1_000 + ledger.entries.length;
      const completed = await this.#call(
        'complete',
        tool('complete_ai_task', apiKey, {
          workItemId: itemId,
          reviewColumnId: columns.Review,
          model: 'gpt-4o',
          totalTokens,
        }),
        client,
      );
      ledger.write({ kind: 'completed', itemId, sessionId: String(completed.data.sessionId), totalTokens });
    }
  }

  async #visit(client: number): Promise<void> {
    const { publicKey } = this.#target;
    let token = { text: '', at: 0 };
    while (this.#running) {
      if (Date.now() - token.at > TOKEN_AGE_MS) {
        const { data } = await this.#call('bootstrap', bootstrap(publicKey), client);
        token = { text: String(data.token), at: Date.now() };
      }
      const message = `Feedback ${randomUUID()}`;
      const submitted = await this.#call(
        'submit',
        rest('POST', '/feedback/ingest', undefined, { publicKey, token: token.text, message }),
        client,
      );
      this.#ledger.write({ kind: 'submitted', feedbackId: String(submitted.data.id), message });
    }
  }
}

function bootstrap(publicKey: string): Send {
  return async (gateway, headers) => {
    const response = await fetch(`${gateway}/feedback/widget/bootstrap?publicKey=${publicKey}`, { headers });
    return {
      status: response.status,
      retryAfter: response.headers.get('retry-after'),
      body: (await response.json()) as { data?: Record<string, unknown> },
    };
  };
}
