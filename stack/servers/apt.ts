import { findProgram } from '../processes/find-program.ts';
import { runToEnd } from '../processes/run-to-end.ts';
import type { Progress } from '../report/progress.ts';
import { StartError } from '../report/start-error.ts';

/** Two alternatives if a server cannot be installed. */
export const WITHOUT_INSTALLING =
  'Otherwise use `docker compose up`, or set RABBITMQ_URL, REDIS_URL and MONGODB_URL to servers that are already running.';

/** What Homebrew calls them: it is never run here, since it asks its user. */
const FORMULAE: Readonly<Record<string, string>> = {
  'rabbitmq-server': 'rabbitmq',
  'redis-server': 'redis',
  python3: 'python',
  prometheus: 'prometheus',
};

/**
 * Installs Debian packages without starting their system services (policy-rc.d is Debian's way to prevent that), because we run our own.
 * The package list is fetched only if the first attempt fails: a new machine has none, otherwise it is usually good enough.
 * It fails, too, after an installation that was ended by a signal, until `dpkg --configure -a` has put that right.
 * One installation at a time: apt itself waits for the lock of dpkg alone, and gives up at once at those of its lists and archives.
 */
const SCRIPT = `
set -e
exec 9< "$(command -v apt-get)"
flock 9
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  trap 'rm -f "$policy"' EXIT
  printf '#!/bin/sh\\nexit 101\\n' > "$policy"
  chmod 755 "$policy"
fi
export DEBIAN_FRONTEND=noninteractive
install() { apt-get install -y --no-install-recommends -o DPkg::Lock::Timeout=300 "$@"; }
install "$@" || { dpkg --configure -a && apt-get update && install "$@"; }
`;

/**
 * @param what the programs in words, as in `RabbitMQ and Redis`
 * @param otherwise what to do if they cannot be installed
 */
export async function installDebianPackages(
  packages: readonly string[],
  what: string,
  progress: Progress,
  otherwise = WITHOUT_INSTALLING,
): Promise<void> {
  const command = `apt-get install -y ${packages.join(' ')}`;
  if (!findProgram('apt-get')) {
    const formulae = process.platform === 'darwin' ? packages.flatMap((each) => FORMULAE[each] ?? []) : [];
    const how =
      formulae.length > 0
        ? `: run \`brew install ${formulae.join(' ')}\` once.`
        : ', and cannot be installed here without apt-get.';
    throw new StartError(`${what} cannot be found${how} ${otherwise}`);
  }
  const asRoot = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
  if (asRoot.length > 0 && !(await runToEnd('sudo', ['-n', 'true'])).ok) {
    throw new StartError(
      `${what} cannot be found, and installing needs root. Run \`sudo ${command}\` once. ${otherwise}`,
    );
  }
  progress.line(`${what} cannot be found: installing with \`${command}\`.`);
  const [program, ...args] = [...asRoot, 'sh', '-c', SCRIPT, 'install', ...packages];
  const outcome = await progress.step(`Installing ${what}`, () => runToEnd(program as string, args));
  if (!outcome.ok) throw new StartError(`\`${command}\` failed: ${outcome.lastLine} ${otherwise}`);
}

/**
 * What is there already, or after it was installed.
 * @param what, otherwise as for installDebianPackages
 */
export async function foundOrInstalled<Found>(
  find: () => Found | undefined | Promise<Found | undefined>,
  packages: readonly string[],
  what: string,
  progress: Progress,
  otherwise?: string,
): Promise<Found> {
  const found = await find();
  if (found) return found;
  await installDebianPackages(packages, what, progress, otherwise);
  const installed = await find();
  if (!installed) throw new StartError(`${what} was installed but cannot be found.`);
  return installed;
}
