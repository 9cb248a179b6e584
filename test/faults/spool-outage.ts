import { randomUUID } from 'node:crypto';
import http from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Source } from '@worktrack/contracts/feedback/records';
import { visitor } from '../feedback/visitor.ts';

/** A client that repeats what got no answer, with its key, gives up after this. */
const REPEAT_FOR_MS = 60_000;
const REPEAT_EVERY_MS = 500;
/** A request to a gateway that is killed ends at once; to one that hangs, then. */
const TIMEOUT_MS = 20_000;

interface Answer {
  readonly atMs: number;
  readonly status: number;
}

/** Submissions at a steady rate, whatever becomes of them, each with a key under which it is repeated while there is no answer. */
export class SteadySubmissions {
  readonly #baseUrl: string;
  readonly #source: Source;
  /** No more connections than a proxy would keep to it. */
  readonly #agent = new http.Agent({ keepAlive: true, maxSockets: 256 });
  readonly #underWay = new Set<Promise<void>>();
  /** By message: when it was acknowledged. */
  readonly accepted = new Map<string, number>();
  /** Of those that nobody acknowledged; each may have been stored or not. */
  readonly given: string[] = [];
  readonly answers: Answer[] = [];
  #token = '';
  #timer: NodeJS.Timeout | undefined;

  constructor(baseUrl: string, source: Source) {
    this.#baseUrl = baseUrl;
    this.#source = source;
  }

  async begin(perSecond: number): Promise<void> {
    this.#token = await visitor(this.#baseUrl).token(this.#source);
    const fromMs = performance.now();
    let sent = 0;
    this.#timer = setInterval(() => {
      for (const due = ((performance.now() - fromMs) / 1_000) * perSecond; sent < due; sent++) {
        const submission = this.#submit().finally(() => this.#underWay.delete(submission));
        this.#underWay.add(submission);
      }
    }, 10);
  }

  async end(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#underWay);
    this.#agent.destroy();
  }

  async #submit(): Promise<void> {
    const message = `Steady ${randomUUID()}`;
    const key = randomUUID();
    const giveUpAtMs = Date.now() + REPEAT_FOR_MS;
    while (Date.now() < giveUpAtMs) {
      const status = await this.#try(message, key);
      this.answers.push({ atMs: Date.now(), status });
      if (status === 201 || status === 202) {
        this.accepted.set(message, Date.now());
        return;
      }
      // Refused: there is no room. Whoever has a key may come again, but need not.
      if (status === 503) break;
      if (status !== 0) throw new Error(`A submission was answered with ${status}.`);
      await delay(REPEAT_EVERY_MS);
    }
    this.given.push(message);
  }

  async #try(message: string, key: string): Promise<number> {
    const body = JSON.stringify({ publicKey: this.#source.publicKey, token: this.#token, message });
    const headers = { 'content-type': 'application/json', 'idempotency-key': key };
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    return await new Promise((resolve) => {
      const request = http.request(`${this.#baseUrl}/feedback/ingest`, {
        ...{ method: 'POST', headers, signal, agent: this.#agent },
      });
      request.on('response', (response) => {
        response.on('error', () => resolve(0));
        response.resume().on('end', () => resolve(response.statusCode ?? 0));
      });
      request.on('error', () => resolve(0));
      request.end(body);
    });
  }
}
