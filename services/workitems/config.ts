import { databaseSettings, loadConfig, processSettings, rabbitmqSettings } from '@worktrack/runtime/process/config';
import { eventSecrets, requestSecrets } from '@worktrack/runtime/process/request-signers';
import { z } from 'zod';
import { promptModel, promptSettings } from './prompts/settings.ts';

export const settings = {
  ...processSettings,
  ...rabbitmqSettings,
  ...requestSecrets.workitems,
  ...eventSecrets,
  ...databaseSettings,
  ...promptSettings,
  /** Prices of models that come before the known ones: `{ prices: [...] }`, as GET /api/model-prices shows them. */
  MODEL_PRICES_FILE: z.string().optional(),
};

export function config() {
  const loaded = loadConfig(settings);
  try {
    return { ...loaded, promptModel: promptModel(loaded) };
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(78); // EX_CONFIG of sysexits.h
  }
}
