import { parentPort, workerData } from 'node:worker_threads';
import { OperationError } from '@worktrack/contracts/errors';
import { connectDatabase } from '@worktrack/runtime/database/connection';
import { createLog } from '@worktrack/runtime/process/logging';
import { watchDatabase } from '../../test/mongodb/watch.ts';
import { call, type ReplicaAnswer, type ReplicaCall } from './testing.ts';

/** A replica of the service for tests: see startReplicas. */
watchDatabase(() => 'a replica');
await connectDatabase({ ...workerData, log: createLog('test', 'silent') });
parentPort?.on('message', async ({ caller, name, input, answerTo }: ReplicaCall) => {
  let answer: ReplicaAnswer;
  try {
    answer = { output: await call(caller, name, input as never) };
  } catch (error) {
    const told = error instanceof OperationError ? error : new OperationError('INTERNAL', String(error));
    answer = { error: told.toValue() };
  }
  answerTo.postMessage(answer);
});
parentPort?.postMessage('ready');
