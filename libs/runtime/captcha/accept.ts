import { OperationError } from '@worktrack/contracts/errors';
import type { SpentSolutions } from './spent-solutions.ts';
import type { CaptchaVerifier, Presented } from './verifier.ts';

/**
 * Accepts a solution for one submission, and for every attempt at it. When a client retries, its solution is already used, and the verifiers on the internet
 * would reject it the second time.
 * @param itemId of the submission
 * @throws OperationError CAPTCHA_INVALID, and what the verifier throws
 */
export async function acceptSolution(
  verifier: CaptchaVerifier,
  spent: SpentSolutions,
  itemId: string,
  presented: Presented,
): Promise<void> {
  const solutionId = verifier.solutionId(presented.token);
  if (solutionId === undefined) throw refused();
  const spentFor = await spent.spentFor(solutionId);
  if (spentFor !== undefined && spentFor !== itemId) throw refused();
  if (spentFor === undefined) {
    if (!(await verifier.verify(presented))) throw refused();
    if (!(await spent.spend(solutionId, itemId))) throw refused();
  }
}

function refused(): OperationError {
  const message = 'The captcha solution is wrong, expired or was used before. Solve a new one and send it.';
  return new OperationError('CAPTCHA_INVALID', message);
}
