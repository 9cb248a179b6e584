import { z } from 'zod';

/** What the caller of a successful write should still know: absent if there is nothing. */
export const warnings = { warnings: z.array(z.string()).optional() };
