import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writePrivate } from '../files/private-file.ts';

/** An Erlang term: a string, or what is printed for one with letters beyond Latin-1. */
const FOLDERS = /\b((?:wal_)?data_dir\s*=>\s*)("(?:[^"\\]|\\.)*"|\[[\d,\s]*\])/g;

/**
 * A quorum queue records the absolute path of its files in a file beside them, and RabbitMQ 3 keeps using that path wherever the folder is now. In a data
 * directory that was moved or restored elsewhere, a queue would not start (`could not be restarted … enoent`), or would write into the original folder. So the
 * path is set right before each start.
 * @param mnesia RABBITMQ_MNESIA_BASE
 */
export function followMovedQueues(mnesia: string): void {
  if (!existsSync(mnesia)) return;
  for (const config of globSync('*/quorum/*/*/config', { cwd: mnesia })) {
    const file = join(mnesia, config);
    const text = readFileSync(file, 'utf8');
    const here = erlangString(dirname(dirname(file)));
    const moved = text.replace(FOLDERS, (_, field: string) => `${field}${here}`);
    if (moved !== text) writePrivate(file, moved);
  }
}

/** As characters or, beyond what needs no escape, as a list of code points, which is the same to Erlang. */
export function erlangString(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
  return `[${[...text].map((character) => character.codePointAt(0)).join(',')}]`;
}
