import type { showHealth as operation } from '@worktrack/contracts/gateway/health';
import type { Composition } from './composition.ts';

export const showHealth: Composition<typeof operation> = async (_input, { health }) => ({
  output: await health(),
  replayed: false,
});
