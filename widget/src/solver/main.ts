import { solveChallenge } from 'altcha-lib';
import type { Challenge } from 'altcha-lib/types';
import { deriveKey } from './derive-key.ts';
import { READY, SOLVER, type SolverReply, type SolverRequest } from './protocol.ts';

/**
 * The solver of altcha's proof of work, in a file of its own: a worker, or, if a page's Content-Security-Policy refuses workers, a script in the page.
 * Replies with what the feedback API accepts as `captchaToken`: base64 of the challenge and its solution as JSON.
 */
async function solve(challenge: unknown): Promise<string> {
  const given = challenge as Challenge;
  const solution = await solveChallenge({ challenge: given, deriveKey });
  if (!solution) throw new Error('The proof of work was not found in time.');
  return btoa(JSON.stringify({ challenge: { parameters: given.parameters, signature: given.signature }, solution }));
}

if ('document' in globalThis) {
  Object.assign(globalThis, { [SOLVER]: solve });
} else {
  const reply = (message: SolverReply | typeof READY) => globalThis.postMessage(message);
  addEventListener('message', (event: MessageEvent<SolverRequest>) => {
    solve(event.data.challenge).then(
      (token) => reply({ token }),
      (error: unknown) => reply({ error: String(error) }),
    );
  });
  reply(READY);
}
