import mongoose from 'mongoose';
import type { Document } from './guard/command.ts';

const { Binary } = mongoose.mongo;

/** The most that a value takes beside its characters and content: its type, its length and end, or a number, and the digits of its index in an array. */
const BYTES_OF_A_VALUE = 24;
/** The most that a UTF-16 code unit takes in UTF-8. */
const BYTES_OF_A_CHARACTER = 3;

interface Sent {
  readonly command: Document;
  /** At most as many are sent. */
  readonly bytes: number;
  /** Of documents and arrays in each other. */
  readonly levels: number;
}

/**
 * A command as the server reads it: without the Maps, the internals of mongoose's documents, and what is undefined, which the driver is given. Not written
 * as BSON and read again, which took each service of a test run 4 % of its CPU.
 */
export function asSent(given: Document): Sent {
  let bytes = 0;
  let levels = 0;
  const read = (value: unknown, level: number): unknown => {
    bytes += BYTES_OF_A_VALUE;
    if (typeof value === 'string') bytes += value.length * BYTES_OF_A_CHARACTER;
    if (typeof value !== 'object' || value === null || value instanceof Date) return value;
    if ('toBSON' in value && typeof value.toBSON === 'function') return read(value.toBSON(), level);
    if (value instanceof RegExp) {
      bytes += value.source.length * BYTES_OF_A_CHARACTER;
      return value;
    }
    if (value instanceof Uint8Array || value instanceof Binary) {
      bytes += value instanceof Binary ? value.length() : value.length;
      return value instanceof Binary ? value : new Binary(value);
    }
    if ('_bsontype' in value) return asNumber(value);
    levels = Math.max(levels, level);
    if (Array.isArray(value)) return value.map((each) => read(each, level + 1) ?? null);
    const fields: Document = value instanceof Map ? Object.fromEntries(value) : (value as Document);
    const sent: Record<string, unknown> = {};
    for (const name of Object.keys(fields)) {
      const field = fields[name];
      if (field === undefined || typeof field === 'function') continue;
      bytes += name.length * BYTES_OF_A_CHARACTER;
      const asRead = read(field, level + 1);
      // Assigned, it would be the prototype.
      if (name === '__proto__') Object.defineProperty(sent, name, { value: asRead, enumerable: true });
      else sent[name] = asRead;
    }
    return sent;
  };
  return { command: read(given, 1) as Document, bytes, levels };
}

/** The driver's own types of numbers are read as numbers, as far as JavaScript's hold them. */
function asNumber(value: { readonly _bsontype: unknown }): unknown {
  const { _bsontype: type } = value;
  if (type === 'Long') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  return type === 'Int32' || type === 'Double' ? Number(value) : value;
}
