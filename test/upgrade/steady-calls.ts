import { randomUUID } from 'node:crypto';
import { newSource, visitor } from '../feedback/visitor.ts';
import type { TestOrganization } from '../support/organization.ts';
import type { RunningSystem } from '../support/run-system.ts';
import type { System } from '../support/system.ts';
import { callTool } from '../support/tool-call.ts';

const ORGANIZATIONS = 4;
/** Of each organization: a round of every kind of call, whatever became of the one before. */
const ROUND_MS = 1_000;
const TIMEOUT_MS = 20_000;
const UNLIMITED = { perIp: 1_000_000, perSource: 1_000_000, windowSeconds: 60 };

/** What many clients do together: as many calls while they fail as before. */
export class SteadyCalls {
  /** What was not answered with success, and why not. */
  readonly refused: string[] = [];
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #underWay = new Set<Promise<unknown>>();
  #rounds = 0;
  answered = 0;

  /** @param gateways to which a load balancer would send them; may change */
  static async begin(
    system: System & RunningSystem,
    gateways: readonly string[] = system.gateways,
  ): Promise<SteadyCalls> {
    const steady = new SteadyCalls();
    for (let index = 0; index < ORGANIZATIONS; index++) {
      const organization = await system.newOrganization();
      const round = await roundOf(system, organization);
      steady.#timers.push(
        setInterval(() => round(steady.#next(gateways)).map((call) => steady.#follow(call)), ROUND_MS),
      );
    }
    return steady;
  }

  async end(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    await Promise.all(this.#underWay);
  }

  #next(gateways: readonly string[]): string {
    return gateways[this.#rounds++ % gateways.length] as string;
  }

  #follow(call: Promise<string | undefined>): void {
    const followed = call
      .catch((error: Error) => `${error.message} ${error.cause ?? ''}`)
      .then((refusal) => {
        if (refusal === undefined) this.answered++;
        else this.refused.push(`${new Date().toISOString()} ${refusal}`);
        this.#underWay.delete(followed);
      });
    this.#underWay.add(followed);
  }
}

/** Each call ends with why it was refused, if it was. */
type Round = (gateway: string) => Promise<string | undefined>[];

async function roundOf(system: System, { apiKey, boardId, columns, call }: TestOrganization): Promise<Round> {
  const source = await newSource({ call } as TestOrganization, { rateLimit: UNLIMITED });
  const token = await visitor(system.baseUrl).token(source);
  const item = { title: 'Steady', type: 'task', boardId, boardColumnId: columns['To Do'] };
  return (gateway) => {
    const ask = async (method: string, path: string, body?: object, key: string | undefined = apiKey) => {
      const response = await fetch(`${gateway}${path}`, {
        method,
        headers: { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) },
        signal: AbortSignal.timeout(TIMEOUT_MS),
        ...(body && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return response.ok ? undefined : `${method} ${path}: ${response.status} ${text}`;
    };
    const list = async () => {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const { output, status, text } = await callTool(gateway, apiKey, 'list_work_items', { limit: 5 }, { signal });
      return output ? undefined : `list_work_items: ${status} ${text}`;
    };
    const submission = { publicKey: source.publicKey, token, message: `Steady ${randomUUID()}` };
    return [
      ask('POST', '/api/work-items', item),
      ask('GET', '/api/work-items?limit=5'),
      list(),
      ask('POST', '/feedback/ingest', submission, ''),
    ];
  };
}
