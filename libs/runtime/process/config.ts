import { z } from 'zod';

/** The configuration of every service process. Ports may be 0: the process then chooses a free one and reports it. */
export const processSettings = {
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  /** Health and metrics; never the public port. */
  OPS_PORT: z.coerce.number().int().min(0).max(65_535).default(9090),
  OPS_HOST: z.string().default('127.0.0.1'),
};

const serverUrl = (protocols: readonly string[], example: string) =>
  z
    .string({ error: `is missing; set a URL such as ${example}` })
    .refine((value) => URL.canParse(value) && protocols.includes(new URL(value).protocol), {
      error: `must be a URL such as ${example}`,
    });

const AMQP_EXAMPLE = 'amqp://127.0.0.1:5672';
const amqpUrl = serverUrl(['amqp:', 'amqps:'], AMQP_EXAMPLE);

export const rabbitmqSettings = {
  /** For a cluster, the URLs of its nodes, separated by commas. */
  RABBITMQ_URL: z
    .string({ error: `is missing; set a URL such as ${AMQP_EXAMPLE}` })
    .refine((value) => value.split(',').every((url) => amqpUrl.safeParse(url.trim()).success), {
      error: `must be a URL such as ${AMQP_EXAMPLE}; for a cluster, those of its nodes, separated by commas`,
    }),
};
export const redisSettings = { REDIS_URL: serverUrl(['redis:', 'rediss:'], 'redis://127.0.0.1:6379') };
export const databaseSettings = {
  /** Server or replica set; each service has its own database on it, named `<prefix>_<service>`. */
  MONGODB_URL: z
    .string({ error: 'is missing; set a URL such as mongodb://127.0.0.1:27017/?replicaSet=rs0' })
    .regex(/^mongodb(\+srv)?:\/\/./, 'must be a URL such as mongodb://127.0.0.1:27017/?replicaSet=rs0'),
  MONGODB_DATABASE_PREFIX: z
    .string()
    .regex(/^[a-zA-Z0-9_-]{1,32}$/, 'must be 1 to 32 letters, digits, - or _')
    .default('worktrack'),
};

/** Where clients reach the service, without the slash that people copy at its end: with a path behind it there would be two. */
export const publicUrlSetting = z
  .url({ protocol: /^https?$/, error: 'must be a URL such as https://worktrack.example' })
  .transform((url) => url.replace(/\/+$/, ''));

export type Parsed<Settings> = { readonly settings: Settings } | { readonly problems: readonly string[] };

/**
 * Reads settings from an environment. A variable that is set but empty counts as unset, as in Compose files.
 * @returns the settings, or a line `NAME: what is wrong` for every invalid variable
 */
export function parseConfig<Shape extends z.ZodRawShape>(
  shape: Shape,
  environment: Readonly<Record<string, string | undefined>>,
): Parsed<z.output<z.ZodObject<Shape>>> {
  const given: Record<string, string> = {};
  for (const name of Object.keys(shape)) {
    const value = environment[name];
    if (value !== undefined && value !== '') given[name] = value;
  }
  const parsed = z.object(shape).safeParse(given, { error: inOurWords });
  if (parsed.success) return { settings: parsed.data };
  return { problems: parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`) };
}

/** Of a text that is no number, zod says that it received NaN, which nobody has written. */
const inOurWords = ({ code, input }: z.core.$ZodRawIssue) =>
  code === 'invalid_type' && Number.isNaN(input) ? 'must be a number' : undefined;

/** parseConfig for the process's environment; an invalid value aborts startup with the name of its variable. */
export function loadConfig<Shape extends z.ZodRawShape>(shape: Shape): z.output<z.ZodObject<Shape>> {
  const parsed = parseConfig(shape, process.env);
  if ('settings' in parsed) return parsed.settings;
  for (const problem of parsed.problems) console.error(problem);
  process.exit(78); // EX_CONFIG in sysexits.h
}
