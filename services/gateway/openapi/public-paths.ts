import type { ErrorCode } from '@worktrack/contracts/errors';
import { exampleFeedback, exampleSource } from '@worktrack/contracts/examples';
import {
  Accepted,
  Bootstrap,
  CaptchaChallenge,
  IngestBody,
  Ingested,
  PublicKeyQuery,
} from '@worktrack/contracts/feedback/public-api';
import type { z } from 'zod';
import { describedInputSchema, type JsonSchema } from '../schema.ts';
import type { Components, OpenApiObject } from './components.ts';

const COMMON: readonly ErrorCode[] = [
  'VALIDATION_FAILED',
  'RATE_LIMITED',
  'SOURCE_NOT_FOUND',
  'ORIGIN_NOT_ALLOWED',
  'INTERNAL',
  'UNAVAILABLE',
  'DEADLINE_EXCEEDED',
];

const { publicKey: publicKeyOfExample, type, name } = exampleSource;
const token = 'eyJ2IjoxLCJrIjoiMSJ9.3q2-7wBh0mYc1nXkQv5sT8uZ4rL6pJ9dFgH2aE0iOyM';
const BOOTSTRAP: Bootstrap = {
  source: { publicKey: publicKeyOfExample, type, name },
  token,
  expiresAt: 1_772_444_700_000,
  config: { requireCaptcha: false },
};
const CHALLENGE: CaptchaChallenge = {
  parameters: {
    algorithm: 'PBKDF2/SHA-256',
    cost: 1000,
    data: { keyId: '1', sourceId: exampleSource.id },
    expiresAt: 1_772_444_400,
    keyLength: 32,
    keyPrefix: 'e6cfffd0b3e696852189dd9815cb5534',
    keySignature: 'ff3c15b25a2e5097bfe4ba63bcd7a21f1720a4c88157a1aa4a2dcbe43fb22ba2',
    nonce: '827ad6eefb03721e9a48ae05f605e431',
    salt: '7119ab08a168bac5cfdc2b9cd1e79393',
  },
  signature: '5e2bfa8341e0ce5a482333c3347ee32f4e5aa62630f4c414220381a347c9a0a3',
};
const SUBMISSION: z.input<typeof IngestBody> = {
  publicKey: publicKeyOfExample,
  token,
  message: exampleFeedback.message,
  category: exampleFeedback.category,
  locale: 'en-GB',
};
const INGESTED: Ingested = { id: exampleFeedback.id, status: 'new', createdAt: exampleFeedback.createdAt };

/** The endpoints that need no API key: feedback and health. */
export function publicPaths(components: Components): Record<string, OpenApiObject> {
  return {
    '/feedback/widget/bootstrap': {
      get: feedback({
        operationId: 'feedback.bootstrap',
        summary: 'Begin: get a widget token for a source, and what a submission needs.',
        parameters: publicKey(),
        responses: { '200': components.success(Bootstrap, false, BOOTSTRAP), ...components.failures(COMMON) },
      }),
    },
    '/feedback/widget/challenge': {
      get: feedback({
        operationId: 'feedback.challenge',
        summary: 'Get a proof-of-work challenge, if the source requires one.',
        parameters: publicKey(),
        responses: {
          '200': components.success(CaptchaChallenge, false, CHALLENGE),
          ...components.failures([...COMMON, 'NOT_FOUND']),
        },
      }),
    },
    '/feedback/ingest': {
      post: feedback({
        operationId: 'feedback.submit',
        summary: 'Submit feedback.',
        parameters: [{ $ref: '#/components/parameters/IdempotencyKey' }],
        requestBody: {
          required: true,
          content: { 'application/json': { schema: describedInputSchema(IngestBody), example: SUBMISSION } },
        },
        responses: {
          '201': components.success(Ingested, true, INGESTED),
          '202': {
            ...components.success(Accepted, false, { status: 'accepted' } satisfies Accepted),
            description: 'Accepted: it will be stored once the parts of the service that do so are back.',
          },
          ...components.failures([
            ...COMMON,
            'WIDGET_TOKEN_INVALID',
            'WIDGET_TOKEN_EXPIRED',
            'CAPTCHA_REQUIRED',
            'CAPTCHA_INVALID',
            'DUPLICATE_FEEDBACK',
            'IDEMPOTENCY_KEY_REUSED',
            'PAYLOAD_TOO_LARGE',
            'UNSUPPORTED_MEDIA_TYPE',
          ]),
        },
      }),
    },
  };
}

function feedback(operation: OpenApiObject): OpenApiObject {
  return { tags: ['public feedback'], security: [], ...operation };
}

function publicKey(): OpenApiObject[] {
  const { properties = {} } = describedInputSchema(PublicKeyQuery);
  const schema = properties.publicKey as JsonSchema;
  return [{ name: 'publicKey', in: 'query', required: true, schema, example: publicKeyOfExample }];
}
