import mongoose, { type mongo } from 'mongoose';
import { onTestFinished, vi } from 'vitest';

/** The next commit of this process is made, and answered as if the connection had been lost meanwhile. @param then called before it is answered */
export function loseReplyOfCommit(then: () => void = () => {}): void {
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
  onTestFinished(() => void lostOnce.mockRestore());
}
