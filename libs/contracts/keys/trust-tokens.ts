import { z } from 'zod';
import { Timestamp } from '../fields.ts';
import { operation } from '../operation.ts';
import { Presented } from './identity.ts';
import { PermissionValue } from './records.ts';

export const MAX_JWT_LENGTH = 16_384;

const KEY_MARK_LENGTH = 16;

/**
 * The end of a key's id, which differs most: marks are sent with many answers, and issuers may give their keys long ids. Whoever makes up an id with a known mark gains what
 * they do with a known id: that the question is asked.
 */
export const keyMarkOf = (keyId: string): string => keyId.slice(-KEY_MARK_LENGTH);

/** For `forMs`, any other JWT for the rule has the same outcome, and is not noted either, if its key id is none of these. So nobody need ask. */
const Flood = z.object({ keyMarks: z.array(z.string()), forMs: z.number() });
export type Flood = z.infer<typeof Flood>;

export const exchangeToken = operation({
  name: 'trustTokens.exchange',
  summary: 'Exchange a JWT that a rule of trust believes for a token of that rule. The gateway has made the token.',
  permissions: 'internal',
  effect: 'create',
  input: z.strictObject({
    jwt: z.string(),
    token: Presented,
    /** Default: all that the rule gives. */
    permissions: z.array(PermissionValue).optional(),
  }),
  output: z.discriminatedUnion('outcome', [
    z.object({ outcome: z.literal('granted'), expiresAt: Timestamp, permissions: z.array(PermissionValue) }),
    /** The reason is kept with the rule, for those who may read it: the caller learns none. */
    z.object({
      outcome: z.literal('refused'),
      /** While more JWTs that nobody signed name the rule than are noted. */
      flood: Flood.optional(),
    }),
    /** None of the permissions that were asked for is one of the rule's. */
    z.object({ outcome: z.literal('nothing left') }),
    /** The issuer's keys are not to be had. */
    z.object({ outcome: z.literal('unavailable'), flood: Flood.optional() }),
    /** Its issuer has to be asked for its keys first: `trustTokens.exchangeWaiting` does. */
    z.object({ outcome: z.literal('asking') }),
  ]),
  errors: [],
});

/**
 * In a lane of its own: an issuer may take seconds to answer, and the maker of a rule chooses the issuer. So waiting for it takes no capacity from the
 * verification of everybody's keys.
 */
export const exchangeTokenWaiting = operation({
  ...exchangeToken,
  name: 'trustTokens.exchangeWaiting',
  summary: 'Do what trustTokens.exchange does, and wait for the keys of the issuer.',
  lane: 'long',
});
