import type { FIRST_DAY } from '@worktrack/contracts/work-items/plain-fields';

/** Of a field for a day (no year that is not yet written to its end, or has five digits), and of one for an estimate. */
export const BOUNDS = {
  date: { min: '1900-01-01' satisfies typeof FIRST_DAY, max: '9999-12-31' },
  number: { min: 0, step: 'any' },
} as const;
