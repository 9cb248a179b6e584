import { eventsContract } from '@worktrack/contracts/events/contract';
import { implement } from '@worktrack/runtime/database/implement';
import { readLog } from './log/read.ts';

export function handlers() {
  return implement(eventsContract, {
    'events.list': readLog,
  });
}
