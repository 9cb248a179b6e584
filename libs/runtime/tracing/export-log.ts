import type { DiagLogger } from '@opentelemetry/api';
import type { Log } from '@worktrack/rpc/types';

/**
 * Reduces the SDK's reports about itself to one line when traces can no longer be sent, and one when they can again. The SDK reports each failure by itself,
 * and nothing at all without a logger. It gives no sign of success, so that word comes from its transport (RetryingTransport).
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

/** The SDK flattens an error into JSON. The error of an answer has its status as the code; after several addresses were tried, it has no message. */
function reasonIn(message: string): string {
  try {
    const { message: text, code } = JSON.parse(message) as { readonly message?: string; readonly code?: string };
    if (!text || !code || text.includes(code)) return text || code || message;
    return `${text} (${code})`;
  } catch {
    return message;
  }
}
