import type { CaptchaChallenge } from '@worktrack/contracts/feedback/public-api';
import type { Source } from '@worktrack/contracts/feedback/records';
import { type Challenge, solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import { visitor } from './visitor.ts';

/** A `captchaToken` for the source, as altcha's own widget makes it. */
export async function solvedCaptcha(baseUrl: string, { publicKey }: Pick<Source, 'publicKey'>): Promise<string> {
  const { data } = await visitor(baseUrl).fetch(`/feedback/widget/challenge?publicKey=${publicKey}`);
  const challenge = data as CaptchaChallenge;
  const solution = await solveChallenge({ challenge: challenge as unknown as Challenge, deriveKey });
  return Buffer.from(JSON.stringify({ challenge, solution })).toString('base64');
}
