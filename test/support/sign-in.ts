import type { BrowserContext } from 'playwright-core';

/** Signs a browser profile in to the console with an API key, as its form does. @param origin of the console */
export async function signIn({ request }: BrowserContext, origin: string, apiKey: string): Promise<void> {
  const answer = await request.post(`${origin}/console/session`, {
    data: { apiKey },
    headers: { origin, 'sec-fetch-site': 'same-origin' },
  });
  if (!answer.ok()) throw new Error(`Nobody is signed in: ${answer.status()} ${await answer.text()}`);
}
