import type { ServiceContract } from '@worktrack/contracts/operation';
import { databaseServer, MONGODB, useServer } from '@worktrack/runtime/database/server';
import mongoose, { type Schema } from 'mongoose';
import { watchCommands } from '../watch.ts';
import { type Index, planOf } from './plan.ts';
import { queriesIn } from './queries.ts';
import { faultOf, shapeOf, statementOf } from './statement.ts';

/** How MongoDB would answer one query of an operation. */
export interface OperationPlan {
  readonly operation: string;
  readonly query: string;
  readonly plan: string;
  readonly fault: string | undefined;
}

/** A query whose plan has a fault that is accepted, and why. */
export interface Borne {
  readonly operation: string;
  /** How its statement begins. */
  readonly query: string;
  readonly why: string;
}

/** Transactions look into it themselves. */
const ASKED_BY_NONE = 'transaction_owners';

/** The plans of all queries that this process sends over mongoose's default connection, each once. */
export class OperationPlans {
  readonly #isSmall: (collection: string) => boolean;
  readonly #borne: readonly Borne[];
  readonly #plans = new Map<string, OperationPlan>();
  readonly #uncalled: Set<string>;
  #operation: string | undefined;

  /** @param options `small`: collections of a size that does not grow with what is stored; `elsewhere`: operations that cannot be called here */
  constructor(
    { operations }: ServiceContract,
    {
      small = [],
      elsewhere = [],
      borne = [],
    }: {
      readonly small?: readonly string[];
      readonly elsewhere?: readonly string[];
      readonly borne?: readonly Borne[];
    },
  ) {
    this.#uncalled = new Set(Object.keys(operations).filter((name) => !elsewhere.includes(name)));
    this.#borne = borne;
    this.#isSmall = (collection) => small.includes(collection);
    // As MongoDB is sent them, which the other servers answer, too.
    const { inOrder, countInOrder, nextBatch, nextInQueue, findAnyOf, increment, lowest } = MONGODB;
    const server = databaseServer();
    const { isCommitted, confirmInsert } = server;
    useServer({
      ...server,
      ...{ inOrder, countInOrder, nextBatch, nextInQueue, findAnyOf, increment, lowest },
      // MongoDB is not asked whether it has stored what it said that it has.
      isCommitted: (isStored) => this.of(undefined, () => isCommitted(isStored)),
      confirmInsert: (model, id) => this.of(undefined, () => confirmInsert(model, id)),
    });
    // The stand-in puts its own before these (split-match.ts).
    for (const { collection } of Object.values(mongoose.models)) {
      for (const method of ['aggregate', 'find', 'findOne']) Reflect.deleteProperty(collection, method);
    }
    watchCommands((command) => {
      const operation = this.#operation;
      if (operation === undefined) return;
      for (const query of queriesIn(command)) {
        if (query.collection === ASKED_BY_NONE) continue;
        const plan = planOf(query, declaredIndexes(query.collection), isBroad);
        const fault = faultOf(query, plan, this.#isSmall);
        const stated = { operation, query: shapeOf(query), plan: statementOf(plan), fault };
        this.#plans.set(JSON.stringify(stated), stated);
      }
    });
  }

  /** What is sent while `run` runs is attributed to the operation; undefined: to none. */
  async of<T>(operation: string | undefined, run: () => Promise<T>): Promise<T> {
    const outer = this.#operation;
    if (operation !== undefined) this.#uncalled.delete(operation);
    this.#operation = operation;
    try {
      return await run();
    } finally {
      this.#operation = outer;
    }
  }

  get all(): readonly OperationPlan[] {
    const byText = (a: OperationPlan, b: OperationPlan) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
    return [...this.#plans.values()].toSorted(byText);
  }

  /** Those that are not accepted, what is accepted needlessly (the list of faults has to be true), and operations whose queries are unknown. */
  get faults(): string[] {
    const wrong = this.all.filter(({ fault }) => fault !== undefined);
    const isBorne = (each: OperationPlan) => this.#borne.some((one) => covers(one, each));
    const others = wrong.filter((each) => !isBorne(each));
    const idle = this.#borne.filter((one) => !wrong.some((each) => covers(one, each)));
    return [
      ...new Set(others.map(({ operation, query, plan, fault }) => `${operation} ${fault}: ${query} → ${plan}`)),
      ...[...this.#uncalled].map((operation) => `${operation} is not called: add a call to callAll in this file`),
      ...idle.map(({ operation, query }) => `${operation} has no fault any more: ${query}`),
    ];
  }

  /** For a snapshot that is reviewed. */
  table(title: string): string {
    const row = (...cells: string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
    const borneIn = (each: OperationPlan) => this.#borne.find((one) => covers(one, each))?.why;
    const lines = this.all.map((each) => {
      const why = each.fault === undefined ? undefined : borneIn(each);
      return row(each.operation, each.query, why === undefined ? each.plan : `${each.plan}: ${each.fault}; ${why}`);
    });
    return `# ${title}: how MongoDB answers\n\n| Operation | Query | Plan |\n|---|---|---|\n${[...new Set(lines)].join('\n')}\n`;
  }
}

/** This many documents of an organization may share its project or board. */
function isBroad(field: string): boolean {
  return ['organizationId', 'projectId', 'boardId'].includes(field);
}

function covers({ operation, query }: Borne, each: OperationPlan): boolean {
  return each.operation === operation && each.query.startsWith(query);
}

/** For the models that are loaded: what they declare, the index on the id, and which fields hold arrays. */
function declaredIndexes(collection: string): Index[] {
  const model = Object.values(mongoose.models).find((each) => each.collection.name === collection);
  const byId: Index = { key: { _id: 1 }, unique: true };
  if (!model) return [byId];
  const declared = model.schema.indexes().map(([keys, options = {}]): Index => {
    const { unique, sparse, partialFilterExpression } = options;
    const key = keys as Record<string, number>;
    const multikey = [...new Set(Object.keys(key).flatMap((field) => arrayOn(model.schema, field) ?? []))];
    return {
      key,
      multikey,
      ...(unique === true && { unique: true }),
      ...(sparse === true && { sparse: true }),
      ...(partialFilterExpression && {
        partialFilterExpression: partialFilterExpression as Index['partialFilterExpression'],
      }),
    };
  });
  return [byId, ...declared];
}

/** The array that a field is, or is in. */
function arrayOn(schema: Schema, field: string): string | undefined {
  const parts = field.split('.');
  const paths = parts.map((_, i) => parts.slice(0, i + 1).join('.'));
  return paths.find((path) => (schema.path(path) as { readonly instance?: string } | undefined)?.instance === 'Array');
}
