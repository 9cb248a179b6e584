import { ERRORS } from '@worktrack/contracts/errors';
import type { Outcome } from '@worktrack/rpc/types';
import type { Attributes } from './types.ts';

const SERVER_FAULT = 500;

/** What a call came to is our fault, and not its caller's. */
export function isFault(outcome: Outcome): boolean {
  return outcome !== 'ok' && ERRORS[outcome].status >= SERVER_FAULT;
}

export function outcomeAttributes(outcome: Outcome): Attributes {
  return outcome === 'ok' ? OK : { 'worktrack.outcome': outcome, 'error.type': outcome };
}

const OK: Attributes = { 'worktrack.outcome': 'ok' };
