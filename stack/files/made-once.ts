import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import { makeDirectory } from './make-directory.ts';
import { readKept, writePrivate } from './private-file.ts';

/**
 * Random values that are generated at the first start and kept in a file that only its owner can read. Values that the file lacks, because an older version wrote it or somebody removed
 * them, are generated again.
 */
export function madeOnce<Name extends string>(
  path: string,
  makers: Readonly<Record<Name, () => string>>,
): Readonly<Record<Name, string>> {
  const kept = readKept<Record<Name, string>>(path);
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
