import { networksSetting } from '@worktrack/runtime/outbound/networks';
import {
  databaseSettings,
  loadConfig,
  processSettings,
  publicUrlSetting,
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
  /** Where clients reach the service: part of the audience of each rule of trust. By default, where the gateway listens by default. */
  PUBLIC_URL: publicUrlSetting.default('http://127.0.0.1:3000'),
  /** Networks besides the public internet where the keys of issuers may be fetched from. */
  OIDC_ALLOWED_NETWORKS: networksSetting,
  /** Networks besides the public internet where the documents of apps may be fetched from. Anybody who opens a page here chooses which, so hardly ever any. */
  OAUTH_CLIENT_ALLOWED_NETWORKS: networksSetting,
  /** Keyed into every stored hash, so that a copy of the database alone verifies nothing. Changing it makes all keys invalid. */
  KEY_PEPPER: z
    .string({ error: `is missing; set a random secret of at least ${MIN_PEPPER_LENGTH} characters` })
    .min(MIN_PEPPER_LENGTH, `must be a random secret of at least ${MIN_PEPPER_LENGTH} characters`),
};

export const config = () => loadConfig(settings);
