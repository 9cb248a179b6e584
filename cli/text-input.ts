import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { Failure } from './failure.ts';

/** What a file holds; `-` is standard input. */
export async function textFrom(path: string): Promise<string> {
  if (path === '-') return text(process.stdin);
  return readFile(path).then(decoded, (error: NodeJS.ErrnoException) => {
    throw unreadable(path, error);
  });
}

/** What messages call it. */
export const nameOf = (path: string) => (path === '-' ? 'standard input' : path);

/** Without the byte order mark with which Windows begins a text: it is no part of it, and no JSON. */
export function decoded(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

export function unreadable(path: string, { code, message }: NodeJS.ErrnoException): Failure {
  const why = code === 'ENOENT' ? 'there is no such file' : code === 'EISDIR' ? 'it is a folder' : message;
  return new Failure('usage', `${path} cannot be read: ${why}.`);
}
