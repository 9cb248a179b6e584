/**
 * The body of every message except requests (envelope.ts). In order: one byte of format version, the length of the JSON part as u32 big-endian, the JSON part
 * in UTF-8, and raw bytes up to the end. Replies have no raw part; the chunks of a byte stream consist of almost nothing else.
 */
const VERSION = 1;
const HEADER_BYTES = 5;
const NO_BYTES = Buffer.alloc(0);

export interface Frame {
  readonly json: unknown;
  /** A view of the message, not a copy. */
  readonly bytes: Buffer;
}

export function encodeFrame(json: string, bytes: Uint8Array = NO_BYTES): Buffer {
  const jsonBytes = Buffer.byteLength(json);
  const frame = Buffer.allocUnsafe(HEADER_BYTES + jsonBytes + bytes.length);
  frame[0] = VERSION;
  frame.writeUInt32BE(jsonBytes, 1);
  frame.write(json, HEADER_BYTES);
  if (bytes.length > 0) frame.set(bytes, HEADER_BYTES + jsonBytes);
  return frame;
}

/** Throws on anything that encodeFrame did not produce. */
export function decodeFrame(content: Buffer): Frame {
  if (content.length < HEADER_BYTES || content[0] !== VERSION) throw new Error('not a frame of version 1');
  const end = HEADER_BYTES + content.readUInt32BE(1);
  if (end > content.length) throw new Error('a frame that is cut short');
  return { json: JSON.parse(content.toString('utf8', HEADER_BYTES, end)), bytes: content.subarray(end) };
}
