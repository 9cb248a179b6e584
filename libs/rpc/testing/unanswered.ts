import { Transform } from 'node:stream';

/** How a client greets a broker, before its first frame (AMQP 0-9-1, 4.2.2). */
const GREETING_BYTES = 8;
/** Type, channel and size (4.2.3). */
const HEAD_BYTES = 7;
const END_BYTES = 1;
const METHOD_FRAME = 1;
/** Class and method: queue.declare, which looks at a queue, too. */
const QUEUE_DECLARE = Buffer.from([0, 50, 0, 10]);
/** The method's ids, and a field without use. */
const BEFORE_NAME_BYTES = QUEUE_DECLARE.length + 2;

/**
 * What a client sends to a broker, but what it asks of some queues later or, so that the broker never answers, not at all.
 * @param lateMs for a queue: 0 for at once, infinite for never
 */
export function withLateDeclarations(lateMs: (queue: string) => number): Transform {
  let rest: Buffer = Buffer.alloc(0);
  let isGreeted = false;
  return new Transform({
    transform(chunk: Buffer, _encoding, passed) {
      rest = Buffer.concat([rest, chunk]);
      if (!isGreeted && rest.length >= GREETING_BYTES) {
        this.push(rest.subarray(0, GREETING_BYTES));
        rest = rest.subarray(GREETING_BYTES);
        isGreeted = true;
      }
      while (isGreeted && rest.length >= HEAD_BYTES) {
        const length = HEAD_BYTES + rest.readUInt32BE(3) + END_BYTES;
        if (rest.length < length) break;
        const frame = rest.subarray(0, length);
        rest = rest.subarray(length);
        const queue = declaredIn(frame);
        const waitMs = queue === undefined ? 0 : lateMs(queue);
        if (waitMs === 0) this.push(frame);
        else if (Number.isFinite(waitMs)) {
          setTimeout(() => {
            if (!this.writableEnded && !this.destroyed) this.push(frame);
          }, waitMs).unref();
        }
      }
      passed();
    },
  });
}

function declaredIn(frame: Buffer): string | undefined {
  const method = frame.subarray(HEAD_BYTES);
  if (frame[0] !== METHOD_FRAME || !method.subarray(0, QUEUE_DECLARE.length).equals(QUEUE_DECLARE)) return undefined;
  const name = method.subarray(BEFORE_NAME_BYTES);
  return name.toString('utf8', 1, 1 + (name[0] ?? 0));
}
