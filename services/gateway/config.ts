import { BlockList, isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import {
  loadConfig,
  processSettings,
  publicUrlSetting,
  rabbitmqSettings,
  redisSettings,
} from '@worktrack/runtime/process/config';
import { eventSecrets, requestSecrets } from '@worktrack/runtime/process/request-signers';
import { z } from 'zod';
import { feedbackSettings } from './feedback/settings.ts';

/** Range names known to proxy-addr, which Fastify uses. */
const NAMED_RANGES: ReadonlySet<string> = new Set(['loopback', 'linklocal', 'uniquelocal']);

const list = z.string().transform((text) =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean),
);

const flag = z
  .enum(['true', 'false'])
  .default('false')
  .transform((value) => value === 'true');

const calls = (byDefault: number) => z.coerce.number().int().min(1).default(byDefault);

export const settings = {
  ...processSettings,
  ...rabbitmqSettings,
  ...requestSecrets.keys,
  ...requestSecrets.workitems,
  ...requestSecrets.feedback,
  ...requestSecrets.events,
  ...eventSecrets,
  ...redisSettings,
  ...feedbackSettings,
  /** 0 chooses a free one. */
  PORT: z.coerce.number().int().min(0).max(65_535).default(3000),
  HOST: z.string().default('127.0.0.1'),
  /** Where clients reach the service, if different from where it listens: for the OpenAPI document, and as an origin that may use `/mcp`. */
  PUBLIC_URL: publicUrlSetting.optional(),
  /** Additional origins that may use `/mcp`, separated by commas. */
  ALLOWED_ORIGINS: list
    .refine((origins) => origins.every(isOrigin), 'must be origins such as https://app.example, separated by commas')
    .default([]),
  /**
   * The proxies whose X-Forwarded-For is trusted: addresses, CIDR ranges, or `loopback`, `linklocal`, `uniquelocal`, separated by commas.
   * Neither a number of hops nor "all": with either, a client that bypasses the proxy could choose its own address.
   */
  TRUST_PROXY: list
    .refine(
      (ranges) => ranges.every(isRange),
      'must be addresses or CIDR ranges such as 10.0.0.0/8, separated by commas',
    )
    .default([]),
  /** How many calls of one organization, and of one key, a gateway handles at once; further calls wait their turn. See limits/fair-share.ts. */
  CALLS_PER_ORGANIZATION: calls(32),
  CALLS_PER_KEY: calls(16),
  /** For one organization, while others are active: enough to use the whole machine; any more, and other organizations' calls wait behind them. */
  CALLS_BESIDE_OTHERS: calls(Math.max(2, availableParallelism())),
  /** For all organizations together. */
  CALLS_AT_ONCE: calls(64),
  /** Unknown API keys per address and minute: beyond that, the keys service is no longer asked about them. */
  UNKNOWN_KEYS_PER_IP: z.coerce.number().int().min(1).default(600),
  /** Requests for tokens per address and minute: to `/oauth/token` and to those below `/connect`. */
  TOKEN_REQUESTS_PER_IP: z.coerce.number().int().min(1).default(600),
  /** Whether apps that have no metadata document may register themselves (RFC 7591), and how many per address and hour. */
  OAUTH_DYNAMIC_REGISTRATION: flag,
  OAUTH_REGISTRATIONS_PER_IP: z.coerce.number().int().min(1).default(20),
  /**
   * Whether a `traceparent` from outside is the parent of our traces and decides whether they are sampled: only behind something that makes its own. Otherwise it is a
   * link.
   */
  TRUST_TRACEPARENT: flag,
  /** A folder with widget files from earlier builds (`widget-<hash>.js` and the like), for pages that still pin them with `integrity`. */
  WIDGET_PINNED_DIR: z.string().optional(),
  /** A file that whatever makes the backups touches: the time of its last change is shown to owners. */
  LAST_BACKUP_FILE: z.string().optional(),
  /** Whether `upload_work_item_attachment` may read this machine's disk for callers of `/mcp`: only if they are all users of this machine. */
  MCP_LOCAL_FILES: flag,
};

export const config = () => loadConfig(settings);

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text;
}

function isRange(text: string): boolean {
  if (NAMED_RANGES.has(text) || isIP(text) !== 0) return true;
  const [address = '', prefix = ''] = text.split('/');
  const family = isIP(address);
  if (family === 0 || !/^\d{1,3}$/.test(prefix)) return false;
  try {
    new BlockList().addSubnet(address, Number(prefix), family === 6 ? 'ipv6' : 'ipv4');
    return true;
  } catch {
    return false;
  }
}
