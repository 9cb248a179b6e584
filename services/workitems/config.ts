import { databaseSettings, loadConfig, processSettings, rabbitmqSettings } from '@worktrack/runtime/config';

export const settings = { ...processSettings, ...rabbitmqSettings, ...databaseSettings };

export const config = () => loadConfig(settings);
