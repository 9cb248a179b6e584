import { warn } from '../console.ts';
import { fetchFile, fileAddress, isTimeout } from '../files.ts';
import type { Settings } from '../settings.ts';
import { READY, SOLVER, type Solve, type SolverReply } from '../solver/protocol.ts';
import { scriptUrl } from '../trusted.ts';
import { addScript } from './script.ts';

const SOLVER_FILE = 'widget-solver.js';

/** Solves altcha's proof of work and returns its token: in a worker, or else in the page, a few milliseconds at a time. */
export async function solveAltcha(challenge: unknown, settings: Settings): Promise<string> {
  const worker = await startWorker(settings).catch((error: unknown) => {
    // The page would wait for the same file, for as long as the browser does.
    if (isTimeout(error)) throw error;
    warn(
      `The captcha is solved in the page, because it may not start a worker: ${error instanceof Error ? error.message : error} A Content-Security-Policy needs worker-src blob:`,
    );
  });
  if (!worker) return (await loadIntoPage(settings))(challenge);
  try {
    return await ask(worker, challenge);
  } finally {
    worker.terminate();
  }
}

/** A worker's script must be from the page's own origin (HTML, “run a worker”), so one from elsewhere is turned into a blob of the page. */
async function startWorker(settings: Settings): Promise<Worker> {
  const { url } = fileAddress(SOLVER_FILE, settings);
  const ownOrigin = new URL(url).origin === location.origin;
  const address = ownOrigin ? url : URL.createObjectURL(await scriptBlob(settings));
  try {
    const worker = new Worker(scriptUrl(address), { name: 'worktrack-feedback-solver' });
    await started(worker);
    return worker;
  } finally {
    URL.revokeObjectURL(address);
  }
}

async function scriptBlob(settings: Settings): Promise<Blob> {
  const response = await fetchFile(SOLVER_FILE, settings);
  return new Blob([await response.text()], { type: 'text/javascript' });
}

function started(worker: Worker): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.addEventListener('message', (event) => event.data === READY && resolve(), { once: true });
    // Without a message: the page learns nothing more about the policy's refusal.
    worker.addEventListener('error', (event) => reject(new Error(event.message || 'It was refused.')), { once: true });
  });
}

function ask(worker: Worker, challenge: unknown): Promise<string> {
  return new Promise((resolve, reject) => {
    worker.addEventListener('message', (event: MessageEvent<SolverReply>) => {
      if ('token' in event.data) resolve(event.data.token);
      else reject(new Error(event.data.error));
    });
    worker.addEventListener('error', (event) => reject(new Error(event.message)));
    worker.postMessage({ challenge });
  });
}

async function loadIntoPage(settings: Settings): Promise<Solve> {
  const { url, integrity } = fileAddress(SOLVER_FILE, settings);
  const page = globalThis as { [SOLVER]?: Solve };
  if (!page[SOLVER]) await addScript(url, settings.nonce, integrity);
  if (!page[SOLVER]) throw new Error(`${url} is not the solver.`);
  return page[SOLVER];
}
