import type { Caller } from '@worktrack/contracts/caller';
import { OperationError } from '@worktrack/contracts/errors';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { expect, vi } from 'vitest';
import { type CallService, call, newCaller, startProject } from '../testing.ts';
import { Model, Refused } from './reference.ts';

type Name = Parameters<CallService>[1];
type InputOf<N extends Name> = Parameters<typeof call<N>>[2];
type AnswerOf<N extends Name> = ReturnType<typeof call<N>>;

/** The service as the one caller of a run sees it, next to the model of it. */
export class Service {
  readonly caller: Caller;
  /** With another API key of the same user. */
  readonly otherKey: Caller;
  /** Another user, who did not do the work. */
  readonly reviewer: Caller;
  readonly projectId: string;
  readonly #model: Model;
  #calls: string[] = [];

  constructor(caller: Caller, projectId: string, model: Model) {
    this.caller = caller;
    this.otherKey = { ...caller, keyId: uuidv7() };
    this.reviewer = { ...caller, keyId: uuidv7(), userId: uuidv7() };
    this.projectId = projectId;
    this.#model = model;
  }

  /**
   * Does one operation in the service and in the model. Each must refuse what the other refuses, with the same code.
   * @param apply the operation on the model, with the service's answer for values that the model cannot know
   */
  async agree<N extends Name>(
    name: N,
    input: InputOf<N>,
    apply: (answer: Awaited<AnswerOf<N>>) => void,
    caller = this.caller,
  ): Promise<void> {
    const answer = await this.#call(name, input, caller).catch((error: unknown) => {
      if (error instanceof OperationError) return error;
      throw error;
    });
    const outcome = answer instanceof OperationError ? answer.code : 'done';
    this.#model.by = { key: caller.keyId, user: caller.userId };
    try {
      apply(answer as Awaited<AnswerOf<N>>);
      this.#model.followReadiness();
    } catch (error) {
      if (error instanceof Refused) {
        expect(error.codes, `${name}: what the model would refuse with`).toContain(outcome);
        return;
      }
      if (outcome === 'done') throw error;
    }
    expect(outcome, `${name}, which the model does not refuse`).toBe('done');
  }

  /** What only reads. */
  ask<N extends Name>(name: N, input: InputOf<N>): AnswerOf<N> {
    return this.#call(name, input, this.caller);
  }

  /** What was called since this was last asked, in readable form. */
  calls(): string {
    const calls = this.#calls.join('; ');
    this.#calls = [];
    return calls;
  }

  #call<N extends Name>(name: N, input: InputOf<N>, caller: Caller): AnswerOf<N> {
    const said = JSON.stringify(input, (_, value) => (typeof value === 'string' ? this.#nameOf(value) : value));
    this.#calls.push(`${name} ${said}${this.#nameOfCaller(caller)}`);
    // No two calls are made at the same time.
    vi.setSystemTime(Date.now() + 1);
    return call(caller, name, input);
  }

  #nameOfCaller(caller: Caller): string {
    if (caller === this.reviewer) return ' by a reviewer';
    return caller === this.otherKey ? ' by another key' : '';
  }

  #nameOf(value: string): string {
    const item = this.#model.items.get(value) ?? this.#model.deleted.get(value);
    return item?.taskId ?? this.#model.column(value)?.name ?? value;
  }
}

/** A new organization with a project of two boards, and the model of it. */
export async function startBoth(): Promise<{ readonly service: Service; readonly model: Model }> {
  const { caller, project, board } = await startProject('Worktrack', newCaller());
  const second = await call(caller, 'boards.create', { id: project.id, name: 'Second' });
  const model = new Model(project.key, [board, second]);
  return { service: new Service(caller, project.id, model), model };
}
