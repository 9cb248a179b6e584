/** For the long form; without it, the short one. `npm run test:faults -- --minutes 10`. */
export const MINUTES = Number(process.env.WORKTRACK_FAULT_MINUTES ?? 0);
