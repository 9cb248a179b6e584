import mongoose from 'mongoose';
import { OutboxModel, type OutboxRecord } from '../outbox.model.ts';

/** The events of these subjects with lower revisions, for a server that scans for any `$or`: each subject is queried separately. */
export async function earlierBySubject(revisions: ReadonlyMap<string, number>): Promise<OutboxRecord[]> {
  const found = await Promise.all(
    [...revisions].map(([id, revision]) =>
      OutboxModel.find({ 'subject.id': id, revision: mongoose.trusted({ $lt: revision }) }).lean(),
    ),
  );
  return found.flat();
}
