import type { me as operation } from '@worktrack/contracts/gateway/identity';
import type { Composition } from './composition.ts';

export const me: Composition<typeof operation> = async (_input, { identity }) => ({
  output: identity,
  replayed: false,
});
