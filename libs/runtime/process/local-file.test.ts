import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, realpath, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { deleteUploaded, LocalFileRefused, openLocalFile } from './local-file.ts';

const MAX_BYTES = 1_000;
let folder: string;
let working: string;
let outside: string;

beforeEach(async () => {
  // A temporary directory that is not under /tmp, which is itself allowed.
  folder = await realpath(await mkdtemp('/var/tmp/worktrack-test-'));
  working = path.join(folder, 'working');
  outside = path.join(folder, 'outside');
  await mkdir(path.join(working, 'sub'), { recursive: true });
  await mkdir(outside);
  await writeFile(path.join(working, 'sub', 'in.txt'), 'inside');
  await writeFile(path.join(outside, 'secret.txt'), 'secret');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function contentOf(filePath: string): Promise<string> {
  const file = await openLocalFile(filePath, working, MAX_BYTES);
  const chunks: Buffer[] = [];
  for await (const chunk of file.stream()) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

describe('a file may be uploaded', () => {
  test('by a path relative to the working directory', async () => {
    expect(await contentOf('sub/in.txt')).toBe('inside');
  });
  test('by an absolute path under the working directory', async () => {
    expect(await contentOf(path.join(working, 'sub', 'in.txt'))).toBe('inside');
  });
  test('by a path under /tmp', async () => {
    const temporary = await mkdtemp('/tmp/worktrack-test-');
    try {
      await writeFile(path.join(temporary, 'a.txt'), 'temporary');
      expect(await contentOf(path.join(temporary, 'a.txt'))).toBe('temporary');
    } finally {
      await rm(temporary, { recursive: true });
    }
  });
  test('through a link that stays inside', async () => {
    await symlink(path.join(working, 'sub'), path.join(working, 'link'));
    expect(await contentOf('link/in.txt')).toBe('inside');
  });
  test('when it is empty', async () => {
    await writeFile(path.join(working, 'empty'), '');
    const file = await openLocalFile('empty', working, MAX_BYTES);
    expect(file.sizeBytes).toBe(0);
    await file.close();
  });
});

describe('a file is refused', () => {
  const refused = async (filePath: string, words: RegExp) => {
    await expect(openLocalFile(filePath, working, MAX_BYTES)).rejects.toThrow(LocalFileRefused);
    await expect(openLocalFile(filePath, working, MAX_BYTES)).rejects.toThrow(words);
  };
  test('outside both folders', () => refused(path.join(outside, 'secret.txt'), /not under/));
  test('that climbs out with ..', () => refused('sub/../../outside/secret.txt', /not under/));
  test('that climbs out of /tmp with ..', () => refused(`/tmp/../${outside}/secret.txt`, /not under/));
  test('in a folder whose name only begins like the working directory’s', async () => {
    await mkdir(`${working}-else`);
    await writeFile(path.join(`${working}-else`, 'a'), 'x');
    await refused(path.join(`${working}-else`, 'a'), /not under/);
  });
  test('through a link to a file outside', async () => {
    await symlink(path.join(outside, 'secret.txt'), path.join(working, 'link.txt'));
    await refused('link.txt', /not under/);
  });
  test('through a linked folder that leads outside', async () => {
    await symlink(outside, path.join(working, 'linked'));
    await refused('linked/secret.txt', /not under/);
  });
  test('that is a folder', () => refused('sub', /not a regular file/));
  test('that is the working directory itself', () => refused('.', /not under/));
  test('that is a named pipe, without waiting for a writer', async () => {
    await promisify(execFile)('mkfifo', [path.join(working, 'pipe')]);
    await refused('pipe', /not a regular file/);
  });
  test('that is not there', () => refused('nowhere.txt', /ENOENT/));
  test('with a NUL in its path', () => refused('sub/in.txt\0.png', /NUL/));
  test('that is larger than the limit', async () => {
    await writeFile(path.join(working, 'large'), Buffer.alloc(MAX_BYTES + 1));
    await refused('large', /at most 1000/);
  });
});

describe('what happens to the path after the check', () => {
  test('does not change what is read', async () => {
    const file = await openLocalFile('sub/in.txt', working, MAX_BYTES);
    await rm(path.join(working, 'sub', 'in.txt'));
    await symlink(path.join(outside, 'secret.txt'), path.join(working, 'sub', 'in.txt'));
    const chunks: Buffer[] = [];
    for await (const chunk of file.stream()) chunks.push(chunk);
    expect(Buffer.concat(chunks).toString()).toBe('inside');
  });

  test('does not delete a file other than the one that was read', async () => {
    const file = await openLocalFile('sub/in.txt', working, MAX_BYTES);
    await rename(path.join(working, 'sub', 'in.txt'), path.join(working, 'sub', 'moved.txt'));
    await writeFile(path.join(working, 'sub', 'in.txt'), 'newer');
    expect(await file.deleteIfSame()).toBe(false);
    expect(await readFile(path.join(working, 'sub', 'in.txt'), 'utf8')).toBe('newer');
    expect(await readFile(path.join(working, 'sub', 'moved.txt'), 'utf8')).toBe('inside');
    await file.close();
  });

  test('lets the same file be deleted', async () => {
    const file = await openLocalFile('sub/in.txt', working, MAX_BYTES);
    expect(await file.deleteIfSame()).toBe(true);
    await expect(stat(path.join(working, 'sub', 'in.txt'))).rejects.toThrow('ENOENT');
    await file.close();
  });

  test('a folder swapped for a link between check and open is never read through', async () => {
    // The race itself: one side swaps the folder for a link to the outside and back as fast as it can, the other side opens.
    const sub = path.join(working, 'sub');
    const real = path.join(working, 'real');
    const link = path.join(working, 'linked');
    await writeFile(path.join(outside, 'in.txt'), 'secret');
    await symlink(outside, link);
    let racing = true;
    const swapper = (async () => {
      while (racing) {
        await rename(sub, real);
        await rename(link, sub);
        await rename(sub, link);
        await rename(real, sub);
      }
    })();
    const read = new Set<string>();
    for (let attempt = 0; attempt < 300; attempt++) {
      read.add(
        await contentOf('sub/in.txt').catch((error) => (error instanceof LocalFileRefused ? 'refused' : 'failed')),
      );
    }
    racing = false;
    await swapper;
    expect([...read].filter((content) => content !== 'inside' && content !== 'refused')).toEqual([]);
  });
});

describe('after its upload, a file', () => {
  const uploaded = async (folder: string, wanted: boolean | undefined) => {
    const inside = await mkdtemp(path.join(folder, 'worktrack-uploaded-'));
    try {
      const name = path.join(inside, 'report.md');
      await writeFile(name, 'the only copy');
      const file = await openLocalFile(name, inside, 1_000);
      const result = await deleteUploaded(file, wanted);
      await file.close();
      const isThere = (await readFile(name, 'utf8').catch(() => undefined)) !== undefined;
      return { ...result, isThere };
    } finally {
      await rm(inside, { recursive: true });
    }
  };

  test('is deleted in a temporary folder, unless it is to be kept', async () => {
    expect(await uploaded(tmpdir(), undefined)).toEqual({ deletedLocalFile: true, isThere: false });
    expect(await uploaded(tmpdir(), false)).toEqual({ deletedLocalFile: false, isThere: true });
  });

  test('is kept anywhere else, with a word about it, unless it is to be deleted', async () => {
    expect(await uploaded('/var/tmp', undefined)).toMatchObject({
      ...{ deletedLocalFile: false, isThere: true },
      warnings: [expect.stringContaining('deleteAfterUpload')],
    });
    expect(await uploaded('/var/tmp', true)).toEqual({ deletedLocalFile: true, isThere: false });
  });
});
