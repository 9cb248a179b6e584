import { join } from 'node:path';
import { startSide } from '../support/side.ts';
import type { FillAnswer, FillRequest } from './fill-request.ts';

/** @param env of a service of the system whose database it fills */
export async function startFiller(env: NodeJS.ProcessEnv) {
  const { url, child } = await startSide(join(import.meta.dirname, 'filler.ts'), env);
  return {
    async fill(request: FillRequest): Promise<FillAnswer> {
      const response = await fetch(`${url}/fill`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(request),
      });
      if (!response.ok) throw new Error(await response.text());
      return (await response.json()) as FillAnswer;
    },
    stop: () => child.disconnect(),
  };
}
