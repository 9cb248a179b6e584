import type { verifyCaptcha } from '@worktrack/contracts/feedback/intake';
import type { Input, Output } from '@worktrack/contracts/operation';
import type { ReadContext } from '@worktrack/runtime/database/contexts';
import type { CaptchaVerifier } from './captcha.ts';
import type { SpentSolutions } from './spent-solutions.ts';

/**
 * A solution is accepted for one submission, and for every attempt at it: a client that retries has a used solution,
 * which the verifiers on the internet would reject the second time.
 */
export async function verifySolution(
  verifier: CaptchaVerifier,
  spent: SpentSolutions,
  { itemId, sourceId, origin, captchaToken: token }: Input<typeof verifyCaptcha>,
  { deadlineAtMs, log, fail }: ReadContext<'CAPTCHA_INVALID'>,
): Promise<Output<typeof verifyCaptcha>> {
  const refused = () =>
    fail('CAPTCHA_INVALID', 'The captcha solution is wrong, expired or was used before. Solve a new one and send it.');

  const solutionId = verifier.solutionId(token);
  if (solutionId === undefined) throw refused();
  const spentFor = await spent.spentFor(solutionId);
  if (spentFor !== undefined && spentFor !== itemId) throw refused();
  if (spentFor === undefined) {
    if (!(await verifier.verify({ token, sourceId, origin, deadlineAtMs, log }))) throw refused();
    if (!(await spent.spend(solutionId, itemId))) throw refused();
  }
  return { passed: true };
}
