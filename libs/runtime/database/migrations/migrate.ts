import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '@worktrack/rpc/types';
import { noteDone, noteProgress, recordOfMigration } from './migrations.repository.ts';

/** A change to documents that an earlier version stored. */
export interface Migration {
  /** Names its record: never changed, and never reused for another one. */
  readonly name: string;
  /** No call can be answered correctly before it is done. */
  readonly isUrgent: boolean;
  /**
   * Makes the changes in the next batch of documents, in the order of `_id`. It may run twice on the same ones, at the same time in several
   * replicas, and alongside calls.
   * @param after the `_id` that the previous batch ended with; empty at the beginning
   * @returns the `_id` that this one ended with; undefined: there was nothing more
   */
  batch(after: string): Promise<string | undefined>;
}

const RETRY_AFTER_MS = 10_000;

/**
 * Runs each migration once across all replicas and starts, according to a record. One that was interrupted continues where it was. Resolves once those
 * that calls need are finished; the others continue in the background.
 */
export async function migrate(
  migrations: readonly Migration[],
  log: Log,
): Promise<{ readonly done: Promise<void>; stop(): Promise<void> }> {
  for (const migration of migrations) if (migration.isUrgent) await run(migration, log);
  const stopped = new AbortController();
  const done = (async () => {
    for (const migration of migrations) await finish(migration, log, stopped.signal);
  })().catch((error) => {
    if (!stopped.signal.aborted) throw error;
  });
  return {
    done,
    async stop() {
      stopped.abort();
      await done;
    },
  };
}

async function finish(migration: Migration, log: Log, signal: AbortSignal): Promise<void> {
  for (;;) {
    try {
      return await run(migration, log, signal);
    } catch (error) {
      signal.throwIfAborted();
      log.warn({ error, migration: migration.name }, 'A migration will continue later');
      await delay(RETRY_AFTER_MS, undefined, { signal, ref: false });
    }
  }
}

async function run({ name, batch }: Migration, log: Log, signal?: AbortSignal): Promise<void> {
  for (;;) {
    signal?.throwIfAborted();
    const { after, doneAt } = await recordOfMigration(name);
    if (doneAt) return;
    const next = await batch(after);
    if (next !== undefined) await noteProgress(name, next);
    else {
      await noteDone(name);
      log.info({ migration: name }, 'A migration went through all documents');
    }
  }
}
