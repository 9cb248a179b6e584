import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { numberedFileName, safeFileName } from './file-name.ts';

describe('a stored file name', () => {
  test.each([
    ['shot.png', 'shot.png'],
    ['../../etc/passwd', 'passwd'],
    ['C:\\Users\\me\\shot.png', 'shot.png'],
    ['Übersicht 日本.pdf', 'Übersicht 日本.pdf'],
    ['a\r\nSet-Cookie: x.txt', 'aSet-Cookie_ x.txt'],
    ['photo\u202Egpj.exe', 'photogpj.exe'],
    ['.bashrc', 'bashrc'],
    ['name. . ', 'name'],
    ['..', 'file'],
    ['', 'file'],
    ['folder/', 'file'],
    ['con.txt', '_con.txt'],
    ['NUL', '_NUL'],
    ['a"b<c>.txt', 'a_b_c_.txt'],
    ['\ud800.txt', 'txt'],
  ])('%j becomes %j', (given, stored) => {
    expect(safeFileName(given)).toBe(stored);
  });

  test('keeps its extension when it is shortened', () => {
    const stored = safeFileName(`${'ü'.repeat(300)}.png`);
    expect(stored.endsWith('ü.png')).toBe(true);
    expect(Buffer.byteLength(stored)).toBeLessThanOrEqual(240);
  });

  test('contains no path and no control character and is never empty, whatever was given', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (given) => {
        const stored = safeFileName(given);
        expect(stored.length).toBeGreaterThan(0);
        expect(stored).not.toMatch(/[/\\\p{Cc}\p{Cs}]/u);
        expect(Buffer.byteLength(stored)).toBeLessThanOrEqual(240);
        expect(safeFileName(stored)).toBe(stored);
      }),
    );
  });
});

describe('a second file with the same name', () => {
  test.each([
    ['report.pdf', 2, 'report (2).pdf'],
    ['archive.tar.gz', 3, 'archive.tar (3).gz'],
    ['Makefile', 2, 'Makefile (2)'],
    ['v1.2 notes', 2, 'v1.2 notes (2)'],
  ])('%s, the %ith, becomes %s', (name, number, numbered) => {
    expect(numberedFileName(name, number)).toBe(numbered);
  });
});
