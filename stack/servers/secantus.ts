import { accessSync, chmodSync, constants, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runToEnd } from '../processes/run-to-end.ts';
import type { Progress } from '../report/progress.ts';
import { StartError } from '../report/start-error.ts';
import { WITHOUT_INSTALLING } from './apt.ts';
import { cacheRoot, pythonWithPip } from './pip.ts';

/** The last releases whose wheel contains the server as a program; those of 0.7 do not. */
const VERSION = '0.6.0b17';
interface Wheel {
  readonly platform: string;
  readonly sha256: string;
  /** Relative to the unpacked wheel. */
  readonly program: string;
}
/** On Linux the program loads its libraries from `../secantusdb.libs`; what is in `scripts` there is a wrapper in Python. */
const OF_LINUX = 'secantusdb.scripts/secantusd-rs';
const WHEELS: Readonly<Record<string, Wheel>> = {
  'linux-x64': {
    platform: 'manylinux_2_28_x86_64',
    sha256: 'fe8ccfd1295c872c92a4c4c13c5a6a1dead88b2ff3b9aafb361406ec8aac4d14',
    program: OF_LINUX,
  },
  'linux-arm64': {
    platform: 'manylinux_2_28_aarch64',
    sha256: '690fed7d7268bf7e90aeb2c8a5b390b32b34685170df9a304f961713e30540fe',
    program: OF_LINUX,
  },
  'darwin-arm64': {
    platform: 'macosx_11_0_arm64',
    sha256: '030a69eabbbb0761c244c0d041c1aa89df17680b26c98b374030f61b1c890aec',
    program: `secantusdb-${VERSION}.data/scripts/secantusd-rs`,
  },
};

/** Unpacks what we need from a wheel, which is a zip file: Python is available, `unzip` perhaps not. */
const UNPACK = `
import sys, zipfile
wheel, target = sys.argv[1:]
with zipfile.ZipFile(wheel) as archive:
    archive.extractall(target, [n for n in archive.namelist() if n.startswith(('secantusdb.scripts/', 'secantusdb.libs/')) or '/scripts/' in n or '/licenses/' in n])
`;

const here = () => `${process.platform}-${process.arch}`;
const cacheFolder = () => join(cacheRoot(), `secantusdb-${VERSION}`);

/** @returns the path of the server if it was installed before */
export function findSecantus(): string | undefined {
  const wheel = WHEELS[here()];
  if (!wheel) return undefined;
  const program = join(cacheFolder(), wheel.program);
  try {
    accessSync(program, constants.X_OK);
    return program;
  } catch {
    return undefined;
  }
}

/** Downloads the server from PyPI with pip, which checks its hash, into the user's cache folder. */
export async function installSecantus(progress: Progress): Promise<string> {
  const wheel = WHEELS[here()];
  if (!wheel) {
    const mongod =
      process.platform === 'darwin' ? 'run `brew install mongodb/brew/mongodb-community@8.0`' : 'install MongoDB 8';
    throw new StartError(
      `There is no mongod, and SecantusDB is not available for ${here()}: ${mongod} once. ${WITHOUT_INSTALLING}`,
    );
  }
  const pip = await pythonWithPip(progress, WITHOUT_INSTALLING);
  const target = cacheFolder();
  progress.line(`There is no mongod: installing SecantusDB ${VERSION} (GPL-2) from PyPI into ${target}.`);
  const parent = join(target, '..');
  let work: string;
  try {
    mkdirSync(parent, { recursive: true });
    work = mkdtempSync(`${target}.`);
  } catch (error) {
    throw new StartError(
      `${parent} cannot be written (${(error as NodeJS.ErrnoException).code}). Set XDG_CACHE_HOME to a folder that can. ${WITHOUT_INSTALLING}`,
    );
  }
  try {
    await progress.step('Installing SecantusDB', async () => {
      const requirements = join(work, 'requirements.txt');
      writeFileSync(requirements, `secantusdb==${VERSION} --hash=sha256:${wheel.sha256}\n`);
      const download = await runToEnd(pip, [
        '-m',
        'pip',
        'download',
        '--no-deps',
        '--only-binary=:all:',
        '--python-version',
        '3.11',
        '--platform',
        wheel.platform,
        '--require-hashes',
        '--disable-pip-version-check',
        '--no-input',
        '--dest',
        work,
        '-r',
        requirements,
      ]);
      if (!download.ok)
        throw new StartError(
          `SecantusDB could not be downloaded from PyPI: ${reason(download.output)} ${WITHOUT_INSTALLING}`,
        );
      const unpacked = join(work, 'unpacked');
      const unpack = await runToEnd(pip, [
        '-c',
        UNPACK,
        join(work, `secantusdb-${VERSION}-cp311-cp311-${wheel.platform}.whl`),
        unpacked,
      ]);
      if (!unpack.ok) throw new StartError(`SecantusDB could not be unpacked: ${unpack.lastLine}`);
      // Python's zip extraction does not preserve modes.
      chmodSync(join(unpacked, wheel.program), 0o755);
      moveIntoPlace(unpacked, target);
    });
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return join(target, wheel.program);
}

/** Atomically, so that nobody ever sees half of it; a second one keeps what the first put there. */
function moveIntoPlace(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!findSecantus()) throw error;
  }
}

function reason(output: string): string {
  const lines = output.split('\n');
  if (lines.some((line) => line.includes('DO NOT MATCH THE HASHES'))) {
    return 'what it sent is not the release that this version of worktrack was tested with (its SHA-256 differs).';
  }
  if (/connection|resolution|timed out|max retries/i.test(output)) {
    return 'PyPI cannot be reached. Check the network and the index that pip is configured with, then run this again.';
  }
  return (
    lines
      .find((line) => line.startsWith('ERROR:'))
      ?.slice('ERROR:'.length)
      .trim() ??
    lines.findLast((line) => line.trim() !== '') ??
    ''
  );
}
