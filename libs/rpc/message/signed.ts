import { type RequestSigner, SIGNATURE_BYTES } from './signature.ts';

/** One byte of format version, the signature of everything that follows, and JSON in UTF-8. */
const VERSION = 2;
const HEADER_BYTES = 1 + SIGNATURE_BYTES;

export type UnverifiedReason = 'unsigned' | 'wrong-signature';

/** A message that was not sent by anybody with the key. */
export class UnverifiedMessage extends Error {
  readonly reason: UnverifiedReason;

  constructor(reason: UnverifiedReason) {
    super(`a message that is not from a holder of the key (${reason})`);
    this.reason = reason;
  }
}

export function signedMessage(signer: RequestSigner, json: string): Buffer {
  const content = Buffer.allocUnsafe(HEADER_BYTES + Buffer.byteLength(json));
  content[0] = VERSION;
  content.write(json, HEADER_BYTES);
  content.set(signer.sign(content.subarray(HEADER_BYTES)), 1);
  return content;
}

/** Nothing in an unverified message is even parsed. Throws UnverifiedMessage, or if it is not JSON. */
export function verifiedJson(signer: RequestSigner, content: Buffer): unknown {
  if (!isSigned(content)) throw new UnverifiedMessage('unsigned');
  if (!signer.verify(content.subarray(HEADER_BYTES), content.subarray(1, HEADER_BYTES))) {
    throw new UnverifiedMessage('wrong-signature');
  }
  return signedJson(content);
}

/** For a message from a trusted place. Throws on anything that is not a signed message. */
export function signedJson(content: Buffer): unknown {
  if (!isSigned(content)) throw new Error('not a signed message');
  return JSON.parse(content.toString('utf8', HEADER_BYTES));
}

function isSigned(content: Buffer): boolean {
  return content.length > HEADER_BYTES && content[0] === VERSION;
}
