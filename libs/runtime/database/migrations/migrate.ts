import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '@worktrack/rpc/types';
import type { MigrationRecord } from './migrations.model.ts';
import { notePass, noteProgress, recordOfMigration } from './migrations.repository.ts';

/** A change to documents that an earlier version stored. */
export interface Migration {
  /** Names its record: never changed, and never reused for another one. */
  readonly name: string;
  /** No call can be answered correctly before it is done. */
  readonly isUrgent: boolean;
  /**
   * Makes the changes in the next batch of documents, in the order of `_id`. It may run twice on the same ones, at the same time in several
   * replicas, and alongside calls and replicas of the previous version.
   * @param after the `_id` that the previous batch ended with; empty at the beginning
   * @returns the `_id` that this one ended with; undefined: there was nothing more
   */
  batch(after: string): Promise<string | undefined>;
}

/** A second pass finds what a replica of the previous version stored after the first one; it starts when any such replica has surely been replaced. */
const PASSES = 2;
const REPLACED_AFTER_MS = 30 * 60_000;
const RETRY_AFTER_MS = 10_000;

/**
 * Runs each migration once across all replicas and starts, according to a record. One that was interrupted continues where it was. Resolves once those
 * that calls need are finished; the others continue in the background.
 */
export async function migrate(
  migrations: readonly Migration[],
  { log, replacedAfterMs = REPLACED_AFTER_MS }: { readonly log: Log; readonly replacedAfterMs?: number },
): Promise<{ readonly done: Promise<void>; stop(): Promise<void> }> {
  for (const migration of migrations) {
    if (!migration.isUrgent) continue;
    const record = await recordOfMigration(migration.name);
    if (record.passes === 0) await pass(migration, record, log);
  }
  const stopped = new AbortController();
  const done = (async () => {
    // A second pass waits, so all of them finish once before any does so again.
    for (let passes = 1; passes <= PASSES; passes++) {
      for (const migration of migrations) {
        await finishPass(passes, migration, { log, replacedAfterMs, signal: stopped.signal });
      }
    }
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

async function finishPass(
  passes: number,
  migration: Migration,
  options: { readonly log: Log; readonly replacedAfterMs: number; readonly signal: AbortSignal },
): Promise<void> {
  const { log, replacedAfterMs, signal } = options;
  for (;;) {
    try {
      const record = await recordOfMigration(migration.name);
      if (record.passes >= passes) return;
      const beginsAtMs = record.passEndedAt ? record.passEndedAt.getTime() + replacedAfterMs : 0;
      await delay(Math.max(0, beginsAtMs - Date.now()), undefined, { signal, ref: false });
      await pass(migration, record, log, signal);
    } catch (error) {
      signal.throwIfAborted();
      log.warn({ error, migration: migration.name }, 'A migration will continue later');
      await delay(RETRY_AFTER_MS, undefined, { signal, ref: false });
    }
  }
}

async function pass(migration: Migration, from: MigrationRecord, log: Log, signal?: AbortSignal): Promise<void> {
  const { name } = migration;
  for (;;) {
    signal?.throwIfAborted();
    const record = await recordOfMigration(name);
    if (record.passes !== from.passes) return;
    const after = await migration.batch(record.after);
    if (after !== undefined) await noteProgress(record, after);
    else {
      await notePass(record);
      log.info({ migration: name, pass: record.passes + 1 }, 'A migration went through all documents');
    }
  }
}
