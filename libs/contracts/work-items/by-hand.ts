import { z } from 'zod';
import type { Role } from '../permissions.ts';

const MAX_REASON_LENGTH = 2_000;

/** For whoever ends the lease of another key: nobody takes work away by accident. */
export const takeOver = { takeOver: z.boolean().optional() };

/** What a move by hand may say: why, and that it is meant although a gate is in its way. */
export const byHand = {
  reason: z.string().trim().max(MAX_REASON_LENGTH).optional(),
  force: z.boolean().optional(),
  ...takeOver,
};

/** The rest of `operation({ … })` that goes with `byHand`. */
export const forcedBy: {
  readonly rolesFor: { readonly force: readonly Role[] };
  readonly audit: 'work_item';
  readonly auditIf: 'force';
} = { rolesFor: { force: ['owner', 'admin'] }, audit: 'work_item', auditIf: 'force' };
