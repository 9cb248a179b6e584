// What `npm start`, `npm run stop`, `npm test`, `npm run bench` and `npx worktrack` call. It runs on the Node that is there (20 or newer), with nothing
// installed: it makes node_modules current, which brings the Node that the project runs on, and hands over to that.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PNPM = '12.21.0';
const OLDEST_NODE = 20;
const SHOW_PROGRESS_EVERY_MS = 15_000;

const repository = dirname(dirname(fileURLToPath(import.meta.url)));
const inRepository = (...path) => join(repository, ...path);
const node = inRepository('node_modules', '.bin', 'node');
const stamp = inRepository('node_modules', '.worktrack-installed');

function fail(line) {
  console.error(line);
  process.exit(1);
}

/** What decides what is installed. */
function wanted() {
  const hash = createHash('sha256').update(`${process.platform}-${process.arch}\n`);
  for (const name of ['pnpm-lock.yaml', 'pnpm-workspace.yaml']) hash.update(readFileSync(inRepository(name)));
  return hash.digest('hex');
}

function isCurrent(hash) {
  return existsSync(node) && existsSync(stamp) && readFileSync(stamp, 'utf8') === hash;
}

/** An installed pnpm of the right major version, else this one through npx. */
function pnpm() {
  const found = spawnSync('pnpm', ['--version'], { cwd: repository, encoding: 'utf8' });
  const major = PNPM.split('.')[0];
  if (found.status === 0 && found.stdout.trim().split('.')[0] === major) return { command: 'pnpm', args: [] };
  return { command: 'npx', args: ['-y', `pnpm@${PNPM}`] };
}

async function install(hash) {
  const { command, args } = pnpm();
  // Not to standard output, which belongs to the program that is run: `worktrack … --json` is read by others.
  console.error(
    `Installing the dependencies into node_modules (pnpm install, ${command === 'npx' ? 'through npx' : 'with the installed pnpm'}) …`,
  );
  const startedAtMs = Date.now();
  const shown = setInterval(
    () => console.error(`Installing the dependencies … ${Math.round((Date.now() - startedAtMs) / 1000)} s`),
    SHOW_PROGRESS_EVERY_MS,
  );
  const { code, output } = await runToEnd(command, [
    ...args,
    'install',
    '--frozen-lockfile',
    '--prefer-offline',
    '--config.confirmModulesPurge=false',
    '--reporter=append-only',
  ]);
  clearInterval(shown);
  if (code !== 0) fail(`The dependencies could not be installed: ${reason(output)}`);
  if (!existsSync(node))
    fail(`There is no Node for ${process.platform}-${process.arch} among the dependencies: see node_modules/node.`);
  writeFileSync(stamp, hash);
  console.error(`Installed in ${((Date.now() - startedAtMs) / 1000).toFixed(1)} s.`);
}

function reason(output) {
  if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH|ECONNRESET|network/i.test(output)) {
    return 'the npm registry cannot be reached. Check the network and the registry that npm is configured with (`npm config get registry`), then run this again.';
  }
  if (/ENOSPC/.test(output)) return 'the disk is full.';
  if (/EACCES|EPERM|EROFS/.test(output)) return `${repository} cannot be written by this user.`;
  const lines = output.split('\n').map((line) => line.trim());
  return (
    lines.find((line) => /ERR_PNPM|npm error/.test(line)) ??
    lines.findLast((line) => line !== '') ??
    'pnpm printed nothing.'
  );
}

function runToEnd(command, args) {
  return new Promise((resolve) => {
    let output = '';
    const child = spawn(command, args, { cwd: repository, stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.on('data', (data) => (output += data));
    child.stderr.on('data', (data) => (output += data));
    child.once('error', (error) => resolve({ code: 1, output: `${command}: ${error.message}` }));
    child.once('close', (code) => resolve({ code, output }));
  });
}

/** Becomes, as far as its caller can tell, the program that it runs: same terminal, signals passed on, same end. */
function handOver(args, cwd = repository) {
  const child = spawn(node, args, {
    cwd,
    stdio: 'inherit',
    // For programs that are found by their names: `node` itself, and those of the project's dependencies.
    env: { ...process.env, PATH: `${inRepository('node_modules', '.bin')}:${process.env.PATH}` },
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.once('error', (error) => fail(`${node} cannot be run: ${error.message}`));
  child.once('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

if (Number(process.versions.node.split('.')[0]) < OLDEST_NODE) {
  fail(`worktrack needs Node ${OLDEST_NODE} or newer to start with; this is ${process.version}.`);
}
const hash = wanted();
if (!isCurrent(hash)) await install(hash);

const [command, ...args] = process.argv.slice(2);
switch (command) {
  case 'worktrack':
    // A command of its user's, about the files where they are. Compiled once, it starts in half the time (`worktrack --help`: 0.4 s of CPU instead of 0.7).
    process.env.NODE_COMPILE_CACHE ??= inRepository('node_modules', '.cache', 'commands');
    handOver([inRepository('cli', 'main.ts'), ...args], process.cwd());
    break;
  case 'test':
    handOver([inRepository('node_modules', 'vitest', 'vitest.mjs'), 'run', ...args]);
    break;
  case 'faults': {
    const minutes = args[args.indexOf('--minutes') + 1];
    process.env.WORKTRACK_FAULT_MINUTES = args.includes('--minutes') && Number(minutes) > 0 ? minutes : '10';
    if (args.includes('--only')) process.env.WORKTRACK_FAULTS_ONLY = args[args.indexOf('--only') + 1];
    if (args.includes('--keep')) process.env.WORKTRACK_FAULTS_KEEP = args[args.indexOf('--keep') + 1];
    const parts = ['ledger', 'full-disk', 'clock', 'spool', 'alerts'];
    const named = parts.filter((name) => args.includes(`--${name}`));
    const chosen = named.length === 0 && args.includes('--only') ? ['ledger'] : named;
    // One after the other: what is measured is the recovery of a system that has the machine to itself.
    handOver([
      inRepository('node_modules', 'vitest', 'vitest.mjs'),
      'run',
      '--no-file-parallelism',
      ...(chosen.length > 0 ? chosen : parts).map((name) => `test/faults/${name}.test.ts`),
    ]);
    break;
  }
  case 'api': {
    const requests = args[args.indexOf('--requests') + 1];
    process.env.WORKTRACK_API_REQUESTS = args.includes('--requests') && Number(requests) > 0 ? requests : '10000';
    handOver([inRepository('node_modules', 'vitest', 'vitest.mjs'), 'run', 'test/api/openapi.test.ts']);
    break;
  }
  case 'pictures':
    process.env.WORKTRACK_PICTURES = '1';
    handOver([inRepository('node_modules', 'vitest', 'vitest.mjs'), 'run', 'test/docs/pictures/make.test.ts']);
    break;
  case 'bench':
    handOver([inRepository('bench', 'main.ts'), ...args]);
    break;
  default:
    handOver([inRepository('stack', 'main.ts'), command, ...args]);
}
