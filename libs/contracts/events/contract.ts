import { serviceContract } from '../operation.ts';
import { listEvents } from './list.ts';

export const eventsContract = serviceContract('events', [listEvents]);
