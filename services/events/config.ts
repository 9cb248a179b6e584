import { databaseSettings, loadConfig, processSettings, rabbitmqSettings } from '@worktrack/runtime/process/config';
import { eventSecrets, requestSecrets } from '@worktrack/runtime/process/request-signers';
import { z } from 'zod';

export const settings = {
  ...processSettings,
  ...rabbitmqSettings,
  ...requestSecrets.events,
  ...eventSecrets,
  ...databaseSettings,
  /** How long an event stays in the log. */
  EVENTS_RETENTION_DAYS: z.coerce.number().int().min(1).max(3650).default(30),
};

export const config = () => loadConfig(settings);
