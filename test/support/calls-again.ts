import type { ServiceContract } from '@worktrack/contracts/operation';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import mongoose from 'mongoose';
import { expect } from 'vitest';
import { loseReplyOfCommit } from './lost-reply.ts';

/**
 * Calls each operation as if the reply to its first commit were lost, and repeats each write with the same key. A client without an answer does the same, and
 * so does RabbitMQ, which delivers at least once.
 */
export class CallsAgain {
  readonly #contract: ServiceContract;

  constructor(contract: ServiceContract) {
    this.#contract = contract;
  }

  async of<Answer>(name: string, call: (idempotencyKey: string) => Promise<Answer>): Promise<Answer> {
    const idempotencyKey = uuidv7();
    const isOver = loseReplyOfCommit();
    const answer = await call(idempotencyKey).finally(isOver);
    // It is answered from the record, which was stored with the effect.
    if (this.#contract.operations[name]?.effect !== 'read') {
      expect(withoutSecrets(await call(idempotencyKey)), name).toEqual(withoutSecrets(answer));
    }
    return answer;
  }
}

/** What is shown once. */
const SECRETS: ReadonlySet<string> = new Set(['key', 'code', 'secret', 'redirectTo']);

const withoutSecrets = (answer: unknown): unknown =>
  answer && JSON.parse(JSON.stringify(answer, (field, value) => (SECRETS.has(field) ? undefined : value)));

/** Drawn outside any transaction, or counted by whichever part is free: they say nothing of what has taken effect. */
const COUNTED_APART: readonly string[] = ['counters', 'board_tallies'];

/**
 * All that the connected database has of an organization, its outbox with it, as texts: the same for two in which the same was done.
 * @param besides collections that depend on more than what was done
 */
export async function storedOf(organizationId: string, besides: readonly string[] = []): Promise<string[]> {
  const collections = (await mongoose.connection.db?.collections()) ?? [];
  const texts: string[] = [];
  for (const collection of collections) {
    const { collectionName: name } = collection;
    if (COUNTED_APART.includes(name) || besides.includes(name)) continue;
    const documents = (await collection.find().toArray()).map((each) => ({ text: JSON.stringify(each), each }));
    for (const { text, each } of documents.filter((one) => one.text.includes(organizationId))) {
      texts.push(`${name} ${name === 'effects' ? each.operation : alike(text)}`);
    }
  }
  return texts.sort();
}

/** Without ids, times, secrets and places, which differ each time. */
function alike(text: string): string {
  return text
    .replaceAll('\\"', '"')
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '(id)')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '(time)')
    .replace(/"(position|durationMs|claimOrder)":\d+/g, '"$1":0')
    .replace(/127\.0\.0\.1:\d+/g, '(host)')
    .replace(/\bwt[a-z]?_\w+/g, '(secret)')
    .replace(/(?<="|\(id\)[./])[\w+/=-]{20,}/g, '(secret)')
    .replace(/(?<=\/)[0-9a-f]{12}(?=\/)/g, '(path)');
}
