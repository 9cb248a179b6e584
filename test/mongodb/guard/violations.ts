import type { CommandState, Document, Violation } from './command.ts';
import { indexViolations } from './indexes.ts';
import { limitViolations } from './limits.ts';
import { privilegeViolations } from './privileges.ts';
import { queryViolations } from './queries.ts';
import { transactionViolations } from './transactions.ts';
import { writeViolations } from './writes.ts';

/**
 * The documented rules of MongoDB 8 that a command breaks: the servers that tests run on may be more lenient.
 * @param command as it is sent, with its session's fields (`lsid`, `txnNumber`, `autocommit`, `startTransaction`) and `$db`
 */
export function violations(command: Document, state: CommandState = {}): Violation[] {
  return [
    ...transactionViolations(command, state),
    ...limitViolations(command, state),
    ...privilegeViolations(command),
    ...writeViolations(command, state),
    ...queryViolations(command),
    ...indexViolations(command, state),
  ];
}
