import { z } from 'zod';

const DEFAULT_TIMEOUT_MS = 100_000;
const MAX_TIMEOUT_MS = 110_000;
const DEFAULT_MAX_OUTPUT_TOKENS = 8_192;

/** Which model writes prompts; part of the service's configuration. */
export const promptSettings = {
  /** `openai` means any endpoint that speaks its chat-completions protocol: Ollama, vLLM, LM Studio, OpenRouter and others. */
  PROMPT_PROVIDER: z.enum(['template', 'openai', 'anthropic']).default('template'),
  PROMPT_MODEL: z.string().optional(),
  /** Including the version for `openai` (`https://api.openai.com/v1`), without it for `anthropic` (`https://api.anthropic.com`). */
  PROMPT_BASE_URL: z
    .string()
    .refine((value) => /^https?:\/\//.test(value) && URL.canParse(value), 'must be an http(s) URL')
    .optional(),
  /** Local servers often need none. */
  PROMPT_API_KEY: z.string().optional(),
  PROMPT_TIMEOUT_MS: z.coerce.number().int().min(1_000).max(MAX_TIMEOUT_MS).default(DEFAULT_TIMEOUT_MS),
  PROMPT_MAX_OUTPUT_TOKENS: z.coerce.number().int().min(256).default(DEFAULT_MAX_OUTPUT_TOKENS),
};

export type PromptSettings = z.output<z.ZodObject<typeof promptSettings>>;

/** The configured model. */
export interface PromptModel {
  readonly protocol: 'openai' | 'anthropic';
  readonly baseUrl: string;
  readonly model: string;
  readonly apiKey: string | undefined;
  readonly timeoutMs: number;
  readonly maxOutputTokens: number;
}

const BASE_URLS = { openai: 'https://api.openai.com/v1', anthropic: 'https://api.anthropic.com' };

/**
 * @returns undefined if prompts are built from the template
 * @throws Error `NAME: what is wrong`, for the service's startup
 */
export function promptModel(settings: PromptSettings): PromptModel | undefined {
  const { PROMPT_PROVIDER: protocol, PROMPT_MODEL: model, PROMPT_BASE_URL: baseUrl } = settings;
  if (protocol === 'template') {
    if (model !== undefined)
      throw new Error('PROMPT_PROVIDER: is missing although PROMPT_MODEL is set; set openai or anthropic');
    return undefined;
  }
  if (model === undefined) throw new Error(`PROMPT_MODEL: is missing; name the model to request from ${protocol}`);
  return {
    protocol,
    model,
    baseUrl: (baseUrl ?? BASE_URLS[protocol]).replace(/\/+$/, ''),
    apiKey: settings.PROMPT_API_KEY,
    timeoutMs: settings.PROMPT_TIMEOUT_MS,
    maxOutputTokens: settings.PROMPT_MAX_OUTPUT_TOKENS,
  };
}
