import mongoose, { type mongo } from 'mongoose';
import { onTestFinished, vi } from 'vitest';

/** As `loseReplyOfCommit`, and so late that nothing is tried again. @returns to call once it is over; the end of the test does, too */
export function loseReplyUntilTooLate(): () => void {
  const { now } = Date;
  const late = vi.spyOn(Date, 'now');
  const isOver = () => void late.mockRestore();
  onTestFinished(isOver);
  loseReplyOfCommit(() => void late.mockImplementation(() => now() + 60_000));
  return isOver;
}

/**
 * The next commit of this process is made, and answered as if the connection had been lost meanwhile.
 * @param then called before it is answered
 * @returns to call once no commit is to come; the end of the test does, too
 */
export function loseReplyOfCommit(then: () => void = () => {}): () => void {
  const { ClientSession, MongoError, MongoErrorLabel } = mongoose.mongo;
  const lostOnce = vi.spyOn(ClientSession.prototype, 'commitTransaction').mockImplementationOnce(async function (
    this: mongo.ClientSession,
  ) {
    // Called as it is from here on.
    await this.commitTransaction();
    then();
    const error = new MongoError('The connection was closed.');
    error.addErrorLabel(MongoErrorLabel.TransientTransactionError);
    throw error;
  });
  const isOver = () => void lostOnce.mockRestore();
  onTestFinished(isOver);
  return isOver;
}
