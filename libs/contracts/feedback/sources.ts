import { z } from 'zod';
import { exampleSource, ids } from '../examples.ts';
import { Id, oneLine, RecordId } from '../fields.ts';
import { operation } from '../operation.ts';
import { AllowedDomain } from './allowed-domains.ts';
import { ERASURE_DEADLINE_MS } from './erasure.ts';
import { RateLimit, RetentionDays, Source, SourceType } from './records.ts';

const MAX_NAME_LENGTH = 100;
const MAX_ALLOWED_DOMAINS = 100;
/** For all of them together, as the list of sources is one response. */
const MAX_ALLOWED_DOMAINS_BYTES = 8 * 1024;
/** Keeps the list of an organization's sources short. */
export const MAX_SOURCES = 500;

const Name = oneLine(MAX_NAME_LENGTH);
const AllowedDomains = z
  .array(AllowedDomain)
  .max(MAX_ALLOWED_DOMAINS)
  .refine(
    (domains) => new TextEncoder().encode(JSON.stringify(domains)).byteLength <= MAX_ALLOWED_DOMAINS_BYTES,
    `must be at most ${MAX_ALLOWED_DOMAINS_BYTES} bytes as JSON`,
  );

export const listSources = operation({
  name: 'sources.list',
  summary: "List the organization's feedback sources, newest first.",
  permissions: ['feedback:read'],
  effect: 'read',
  input: z.strictObject({}),
  output: z.array(Source),
  errors: [],
  example: { input: {}, output: [exampleSource] },
  rest: 'GET /api/feedback/sources',
});

export const createSource = operation({
  name: 'sources.create',
  summary: 'Create a feedback source. Its public key may be visible in a page.',
  permissions: ['feedback:write'],
  audit: 'source',
  effect: 'create',
  input: z.strictObject({
    name: Name,
    type: SourceType.default('widget'),
    /** Origins that may submit: `example.com`, `https://example.com:8443`, `*.example.com`, `localhost:3000`. Empty: any. */
    allowedDomains: AllowedDomains.default([]),
    requireCaptcha: z.boolean().default(true),
    enabled: z.boolean().default(true),
    /** Those who are limited to this project see the source and what is submitted to it. */
    projectId: Id.optional(),
    rateLimit: RateLimit.optional(),
    /** Older feedback is erased, once a day. */
    retentionDays: RetentionDays.optional(),
  }),
  output: Source,
  errors: ['CONFLICT', 'PERMISSION_DENIED'],
  example: { input: { name: 'Shop', allowedDomains: ['shop.example.com'] }, output: exampleSource },
  rest: 'POST /api/feedback/sources',
});

export const getSource = operation({
  name: 'sources.get',
  summary: 'Get a feedback source.',
  permissions: ['feedback:read'],
  effect: 'read',
  input: z.strictObject({ id: Id }),
  output: Source,
  errors: ['NOT_FOUND'],
  example: { input: { id: ids.source }, output: exampleSource },
  rest: 'GET /api/feedback/sources/:id',
});

export const updateSource = operation({
  name: 'sources.update',
  summary: 'Change a feedback source. Takes effect on the public endpoints within two seconds.',
  permissions: ['feedback:write'],
  audit: 'source',
  effect: 'update',
  input: z.strictObject({
    id: Id,
    name: Name.optional(),
    type: SourceType.optional(),
    allowedDomains: AllowedDomains.optional(),
    requireCaptcha: z.boolean().optional(),
    /** A disabled source behaves as if it did not exist. */
    enabled: z.boolean().optional(),
    /** `null`: it belongs to no project. Only for callers that are not limited to projects. */
    projectId: Id.nullable().optional(),
    /** `null` restores the service's own limits. */
    rateLimit: RateLimit.nullable().optional(),
    /** `null` keeps what was submitted. */
    retentionDays: RetentionDays.nullable().optional(),
  }),
  output: Source,
  errors: ['NOT_FOUND', 'PERMISSION_DENIED'],
  example: {
    input: { id: ids.source, rateLimit: { perIp: 5, perSource: 300, windowSeconds: 60 } },
    output: { ...exampleSource, rateLimit: { perIp: 5, perSource: 300, windowSeconds: 60 } },
  },
  rest: 'PATCH /api/feedback/sources/:id',
});

export const deleteSource = operation({
  name: 'sources.delete',
  summary:
    'Delete a feedback source. While its items still have submitted content, `erase` is required: the content is then erased, and the items stay as after their deletion.',
  permissions: ['feedback:write'],
  audit: 'source',
  effect: 'delete',
  input: z.strictObject({ id: Id, erase: z.boolean().default(false) }),
  output: z.object({ deleted: z.literal(true), id: RecordId }),
  /** CONFLICT: it has such items, and `erase` was not given. */
  errors: ['NOT_FOUND', 'CONFLICT'],
  example: { input: { id: ids.source }, output: { deleted: true, id: ids.source } },
  rest: 'DELETE /api/feedback/sources/:id',
  deadlineMs: ERASURE_DEADLINE_MS,
  lane: 'long',
});
