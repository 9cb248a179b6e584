import type { FIRST_DUE_DATE } from '@worktrack/contracts/work-items/plain-fields';

/** Of a field for a due date (no year that is not yet written to its end, or has five digits), and of one for an estimate. */
export const BOUNDS = {
  date: { min: '1900-01-01' satisfies typeof FIRST_DUE_DATE, max: '9999-12-31' },
  number: { min: 0, step: 'any' },
} as const;
