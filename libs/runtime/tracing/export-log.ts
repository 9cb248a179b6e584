import type { DiagLogger } from '@opentelemetry/api';
import type { Log } from '@worktrack/rpc/types';

/**
 * What the SDK says about itself, as one line when traces can no longer be sent and one when they can again: it tells each failure by itself, and nothing at all
 * unless it is given a logger. The word for what went well is that of its transport (RetryingTransport), since it has no other sign.
 */
export function exportLog(log: Log): DiagLogger {
  let hasFailed = false;
  return {
    error(message) {
      if (!hasFailed) log.warn({ reason: reasonIn(message) }, 'Traces cannot be sent; they are dropped until they can');
      hasFailed = true;
    },
    verbose(message) {
      if (!hasFailed || !message.startsWith('Export succeeded')) return;
      hasFailed = false;
      log.info({}, 'Traces are sent again');
    },
    warn() {},
    info() {},
    debug() {},
  };
}

/** The SDK flattens an error into JSON: that of an answer has its status as the code, and one that tried several addresses has no message. */
function reasonIn(message: string): string {
  try {
    const { message: text, code } = JSON.parse(message) as { readonly message?: string; readonly code?: string };
    if (!text || !code || text.includes(code)) return text || code || message;
    return `${text} (${code})`;
  } catch {
    return message;
  }
}
