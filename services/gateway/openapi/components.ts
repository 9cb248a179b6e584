import { ERRORS, type ErrorCode, REASONS } from '@worktrack/contracts/errors';
import type { z } from 'zod';
import { type JsonSchema, outputSchema } from '../schema.ts';
import { recordRegistry } from './records.ts';

export type OpenApiObject = Readonly<Record<string, unknown>>;

/** What several parts of the document share. */
export class Components {
  readonly #schemas: Record<string, unknown> = {};

  /** The envelope around a response. */
  success(output: z.ZodType, writes: boolean, example?: unknown): OpenApiObject {
    return {
      description: 'Done.',
      headers: {
        'X-Request-Id': { $ref: '#/components/headers/RequestId' },
        ...(writes ? { 'Idempotency-Replayed': { $ref: '#/components/headers/IdempotencyReplayed' } } : {}),
      },
      content: {
        'application/json': {
          schema: {
            type: 'object',
            properties: { success: { type: 'boolean', description: 'Always true.' }, data: this.schemaOf(output) },
            required: ['success', 'data'],
          },
          ...(example === undefined ? {} : { example: { success: true, data: example } }),
        },
      },
    };
  }

  /** One response per status, which lists its error codes. */
  failures(codes: readonly ErrorCode[]): OpenApiObject {
    const byStatus = Map.groupBy(new Set(codes), (code) => ERRORS[code].status);
    const sorted = [...byStatus].sort(([one], [other]) => one - other);
    return Object.fromEntries(
      sorted.map(([status, members]) => [
        String(status),
        {
          description: members.map((code) => `\`${code}\`: ${ERRORS[code].meaning}`).join('\n\n'),
          headers: {
            'X-Request-Id': { $ref: '#/components/headers/RequestId' },
            ...(status === 429 || status >= 503 ? { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } } : {}),
            ...(status === 401 ? { 'WWW-Authenticate': { schema: { type: 'string' } } } : {}),
          },
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Failure' } } },
        },
      ]),
    );
  }

  /** Named records become components. */
  schemaOf(output: z.ZodType): JsonSchema {
    const { $defs, ...schema } = outputSchema(output, recordRegistry);
    Object.assign(this.#schemas, moved($defs ?? {}));
    return moved(schema) as JsonSchema;
  }

  described(): OpenApiObject {
    return {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'wt_…',
          description: 'An API key: `Authorization: Bearer wt_…`.',
        },
      },
      parameters: {
        IdempotencyKey: {
          name: 'Idempotency-Key',
          in: 'header',
          description:
            'The same key and request within 24 hours take effect once; repetitions get the first response, with `Idempotency-Replayed: true`.',
          // Spaces at the ends are not part of a header's value.
          schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]([ -~]*[!-~])?$' },
        },
        IfMatch: {
          name: 'If-Match',
          in: 'header',
          description:
            'The `version` that was read, quoted or bare. If it has changed, the response is 409 `CONFLICT` with the record in `error.current`.',
          schema: { type: 'string', pattern: '^(?:\\*|(?:W/)?(?:"[0-9]{1,15}"|[0-9]{1,15}))$' },
          example: '"3"',
        },
      },
      headers: {
        RequestId: { description: "The request's own, or else a new one.", schema: { type: 'string' } },
        IdempotencyReplayed: {
          description: 'On the response to an earlier request.',
          schema: { type: 'string', const: 'true' },
        },
        RetryAfter: { description: 'Seconds.', schema: { type: 'integer' } },
      },
      schemas: { Failure: failureSchema(), ...this.#schemas },
    };
  }
}

function failureSchema(): JsonSchema {
  return {
    type: 'object',
    properties: {
      success: { type: 'boolean', description: 'Always false.' },
      error: {
        type: 'object',
        properties: {
          code: { type: 'string', enum: Object.keys(ERRORS) },
          reason: {
            type: 'string',
            enum: REASONS,
            description: 'What it is about, where `code` alone does not say it.',
          },
          message: { type: 'string', description: 'Says what to do about it.' },
          details: {
            type: 'array',
            items: {
              type: 'object',
              properties: { path: { type: 'string' }, message: { type: 'string' } },
              required: ['path', 'message'],
            },
          },
          current: { description: 'With `CONFLICT` over a stale version: the current record.' },
          requestId: { type: 'string' },
        },
        required: ['code', 'message', 'requestId'],
      },
    },
    required: ['success', 'error'],
  };
}

/** References into a schema's `$defs` become references into the document's components. */
function moved(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(moved);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === '$ref' && typeof inner === 'string' ? inner.replace('#/$defs/', '#/components/schemas/') : moved(inner),
    ]),
  );
}
