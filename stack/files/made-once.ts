import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeDirectory } from './make-directory.ts';
import { writePrivate } from './private-file.ts';

/**
 * Random values that are generated at the first start and kept in a file that only its owner can read. Values that the file lacks, because an older version wrote it or somebody removed
 * them, are generated again.
 */
export function madeOnce<Name extends string>(
  path: string,
  makers: Readonly<Record<Name, () => string>>,
): Readonly<Record<Name, string>> {
  const kept = read<Name>(path);
  const names = Object.keys(makers) as Name[];
  const whole = Object.fromEntries(names.map((name) => [name, kept[name] ?? makers[name]()])) as Record<Name, string>;
  if (names.some((name) => kept[name] === undefined)) {
    makeDirectory(dirname(path));
    writePrivate(path, `${JSON.stringify(whole, undefined, 2)}\n`);
  }
  return whole;
}

export function randomSecret(): string {
  return randomBytes(32).toString('base64url');
}

function read<Name extends string>(path: string): Partial<Record<Name, string>> {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Partial<Record<Name, string>>;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return {};
  }
}
