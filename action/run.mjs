// The one step of the action: fetches the command from the service, runs what WORKTRACK_COMMAND says, and sets the outputs. For Node 20 and newer.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const { WORKTRACK_URL = '', WORKTRACK_COMMAND = '', RUNNER_TEMP = '.', GITHUB_OUTPUT } = process.env;

class Stop extends Error {}

async function fetched(path) {
  const url = WORKTRACK_URL.replace(/\/+$/, '') + path;
  const response = await fetch(url).catch((error) => {
    throw new Stop(`Nothing answers at ${url} (${error.cause?.message ?? error.message}). Check the input url.`);
  });
  if (!response.ok) throw new Stop(`${url} answers ${response.status}. Check the input url.`);
  return Buffer.from(await response.arrayBuffer());
}

async function fetchCommand() {
  const [code, sum] = await Promise.all([fetched('/cli/worktrack.mjs'), fetched('/cli/worktrack.mjs.sha256')]);
  if (createHash('sha256').update(code).digest('hex') !== sum.toString().split(' ')[0]) {
    throw new Stop('worktrack.mjs came damaged, or the service was updated just now. Run the job again.');
  }
  const file = join(RUNNER_TEMP, 'worktrack.mjs');
  writeFileSync(file, code);
  return file;
}

/**
 * Commands as lists of words: separated by newlines and semicolons, quoted as in a shell. Nothing is expanded, so nothing in a title or a branch name
 * is run.
 */
function commandsIn(text) {
  const commands = [[]];
  for (const { 0: token, index } of text.matchAll(/(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\s;"'])+|[;\n"']/g)) {
    if (token === '"' || token === "'") {
      const [rest] = text.slice(index).split('\n');
      throw new Stop(`A quote is not closed in the input command: ${rest} (an apostrophe belongs within "…").`);
    }
    if (token === ';' || token === '\n') commands.push([]);
    else commands.at(-1).push(unquoted(token));
  }
  return commands.filter((words) => words.length > 0);
}

const unquoted = (token) =>
  token.replaceAll(
    /"((?:[^"\\]|\\.)*)"|'([^']*)'/g,
    (_, double, single) => single ?? double.replaceAll(/\\(.)/g, '$1'),
  );

function run(file, words) {
  const ended = spawnSync(process.execPath, [file, ...words, '--json'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 64 * 1024 * 1024,
  });
  process.stdout.write(ended.stdout ?? '');
  if (ended.status !== 0) process.exit(ended.status ?? 1);
  return JSON.parse(ended.stdout);
}

/** The work item that a result is about. */
function itemOf(result) {
  if (Array.isArray(result.workItems)) return result.workItems[0];
  if (result.workItem !== undefined) return result.workItem ?? undefined;
  return typeof result.taskId === 'string' ? result : undefined;
}

function setOutput(name, value) {
  if (GITHUB_OUTPUT && value !== undefined) appendFileSync(GITHUB_OUTPUT, `${name}=${value}\n`);
}

try {
  const commands = commandsIn(WORKTRACK_COMMAND);
  const file = await fetchCommand();
  let item;
  for (const words of commands) {
    const filled = words.map((word) =>
      word.replaceAll('{task-id}', item?.taskId ?? '').replaceAll('{id}', item?.id ?? ''),
    );
    if (item === undefined && words.some((word) => /\{(task-)?id\}/.test(word))) continue;
    const result = run(file, filled);
    const found = itemOf(result);
    if (found) {
      item = found;
      setOutput('id', found.id);
      setOutput('task-id', found.taskId);
    } else if (Array.isArray(result.workItems)) item = undefined;
    setOutput('created', result.created);
  }
} catch (error) {
  if (!(error instanceof Stop)) throw error;
  console.error(`error: ${error.message}`);
  process.exitCode = 1;
}
