import {
  type CommandState,
  collectionOf,
  type Document,
  documentsIn,
  isDocument,
  nameOf,
  type Violation,
} from './command.ts';
import { sessionKey, transactionKey } from './transactions.ts';
import { violations } from './violations.ts';

const ENDS = new Set(['commitTransaction', 'abortTransaction']);

interface Session {
  /** Names of commands. */
  readonly underWay: string[];
  transaction: { number: string; commands: number; isEnded: boolean } | undefined;
}

/** Checks the commands of one client against MongoDB's rules, taking into account what came before them. */
export class Guard {
  readonly #shardKeyOf: (collection: string) => string | undefined;
  readonly #sessions = new Map<string, Session>();
  readonly #cursors = new Map<string, string | undefined>();
  readonly #indexes = new Map<string, Map<string, string>>();
  readonly #underWay = new Map<number, Document>();

  constructor(shardKeyOf: (collection: string) => string | undefined) {
    this.#shardKeyOf = shardKeyOf;
  }

  /**
   * @param id of the request, by which its end is matched
   * @param size of the command, if it is known
   */
  started(id: number, command: Document, size?: Pick<CommandState, 'bytes' | 'levels'>): Violation[] {
    const key = sessionKey(command);
    const session = key === undefined ? undefined : this.#session(key);
    const state: CommandState = {
      ...size,
      session,
      shardKeyOf: this.#shardKeyOf,
      cursorIn: this.#cursors,
      indexesOf: (collection) => this.#indexesOf(command, collection),
    };
    const found = violations(command, state);
    this.#underWay.set(id, command);
    if (session) {
      session.underWay.push(nameOf(command));
      const number = transactionKey(command) && String(command.txnNumber);
      if (number !== undefined) {
        const commands = session.transaction?.number === number ? session.transaction.commands + 1 : 1;
        session.transaction = { number, commands, isEnded: ENDS.has(nameOf(command)) };
      }
    }
    return found;
  }

  /** @param reply undefined for a command that failed or was not sent */
  ended(id: number, reply: unknown): void {
    const command = this.#underWay.get(id);
    this.#underWay.delete(id);
    if (!command) return;
    const key = sessionKey(command);
    const names = key === undefined ? [] : this.#session(key).underWay;
    const at = names.indexOf(nameOf(command));
    if (at >= 0) names.splice(at, 1);
    if (!isDocument(reply)) return;
    const cursor = isDocument(reply.cursor) ? String(reply.cursor.id) : '0';
    if (cursor !== '0' && nameOf(command) !== 'getMore') this.#cursors.set(cursor, transactionKey(command));
    if (cursor === '0' && nameOf(command) === 'getMore') this.#cursors.delete(String(command.getMore));
    if (nameOf(command) === 'createIndexes') {
      const indexes = this.#indexesOf(command, collectionOf(command));
      for (const each of documentsIn(command.indexes)) indexes.set(String(each.name), JSON.stringify(each.key));
    }
    if (nameOf(command) === 'endSessions') {
      for (const each of documentsIn(command.endSessions)) this.#sessions.delete(sessionKey({ lsid: each }) ?? '');
    }
  }

  #session(key: string): Session {
    const known = this.#sessions.get(key);
    if (known) return known;
    const session: Session = { underWay: [], transaction: undefined };
    this.#sessions.set(key, session);
    return session;
  }

  #indexesOf(command: Document, collection: string): Map<string, string> {
    const name = `${command.$db}.${collection}`;
    const known = this.#indexes.get(name) ?? new Map<string, string>();
    this.#indexes.set(name, known);
    return known;
  }
}
