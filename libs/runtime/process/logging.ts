import { type Logger, pino } from 'pino';

/** Fields that never reach a log, wherever a caller may have put them. */
const SECRET_FIELDS = ['authorization', 'key', 'apiKey', 'token', 'leaseToken', 'captchaToken', 'secret', 'password'];

/**
 * The same log without the search for secret fields: for a line of every request that has fixed fields, none of which can hold one.
 * The search took 14 of the 18 µs of such a line, a tenth of what a refused submission of feedback cost.
 */
export function withoutRedaction(log: Logger): Logger {
  return log.child({}, { redact: [] });
}

/** A JSON log on standard output. Lines of one request share `requestId` in all services. */
export function createLog(service: string, level: string): Logger {
  return pino({
    level,
    base: { service, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { error: pino.stdSerializers.err, err: pino.stdSerializers.err },
    redact: { paths: SECRET_FIELDS.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]), censor: '[redacted]' },
  });
}
