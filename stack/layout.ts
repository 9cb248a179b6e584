import { fileURLToPath } from 'node:url';

export const REPOSITORY = fileURLToPath(new URL('..', import.meta.url));

export const SERVICES = ['keys', 'workitems', 'feedback', 'events', 'gateway'] as const;
export type ServiceName = (typeof SERVICES)[number];
