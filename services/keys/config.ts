import {
  databaseSettings,
  loadConfig,
  processSettings,
  rabbitmqSettings,
  redisSettings,
} from '@worktrack/runtime/process/config';
import { eventSecrets, requestSecrets } from '@worktrack/runtime/process/request-signers';
import { z } from 'zod';

const MIN_PEPPER_LENGTH = 32;

export const settings = {
  ...processSettings,
  ...rabbitmqSettings,
  ...requestSecrets.keys,
  ...eventSecrets,
  ...redisSettings,
  ...databaseSettings,
  /** Keyed into every stored hash, so that a copy of the database alone verifies nothing. Changing it makes all keys invalid. */
  KEY_PEPPER: z
    .string({ error: `is missing; set a random secret of at least ${MIN_PEPPER_LENGTH} characters` })
    .min(MIN_PEPPER_LENGTH, `must be a random secret of at least ${MIN_PEPPER_LENGTH} characters`),
};

export const config = () => loadConfig(settings);
