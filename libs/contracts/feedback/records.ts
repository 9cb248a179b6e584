import { z } from 'zod';
import { RecordId, Timestamp } from '../fields.ts';

export const CATEGORIES = ['bug', 'feature_request', 'improvement', 'question', 'praise', 'other'] as const;
export const Category = z.enum(CATEGORIES);
export type Category = z.infer<typeof Category>;

/** An item starts as `new` and can then change between the others freely. */
export const STATUSES = ['new', 'triaged', 'linked', 'resolved', 'dismissed'] as const;
export const Status = z.enum(STATUSES);
export type Status = z.infer<typeof Status>;

/** `widget`: an embedded form in browsers. `server`: a caller without a browser. The checks are the same for both. */
export const SourceType = z.enum(['widget', 'server']);

export const MAX_RATE = 1_000_000;
export const MAX_RATE_WINDOW_SECONDS = 86_400;
/** How many submissions one source accepts: a limit of N means that no window of that length ever contains more than N. */
export const RateLimit = z.strictObject({
  perIp: z.int().min(1).max(MAX_RATE),
  perSource: z.int().min(1).max(MAX_RATE),
  windowSeconds: z.int().min(1).max(MAX_RATE_WINDOW_SECONDS),
});
export type RateLimit = z.infer<typeof RateLimit>;

export const MAX_RETENTION_DAYS = 3_650;
export const RetentionDays = z.int().min(1).max(MAX_RETENTION_DAYS);

export const Source = z.object({
  id: RecordId,
  organizationId: RecordId,
  publicKey: z.string(),
  type: SourceType,
  name: z.string(),
  /** As they were given; an empty list means no restriction. */
  allowedDomains: z.array(z.string()),
  requireCaptcha: z.boolean(),
  enabled: z.boolean(),
  /** The project that it belongs to, so that those who are limited to it see what was submitted. Absent: none. */
  projectId: RecordId.optional(),
  /** Absent: the service's own limits. */
  rateLimit: RateLimit.optional(),
  /** Older feedback is erased, once a day. Absent: it is kept. */
  retentionDays: RetentionDays.optional(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type Source = z.infer<typeof Source>;

export const FeedbackItem = z.object({
  id: RecordId,
  sourceId: RecordId,
  status: Status,
  message: z.string(),
  category: Category,
  email: z.string().nullable(),
  pageUrl: z.string().nullable(),
  locale: z.string().nullable(),
  /** The origin that submitted it; null for a caller without one, `"null"` for an opaque one (RFC 6454). */
  origin: z.string().nullable(),
  linkedWorkItemIds: z.array(RecordId),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  /**
   * When what the sender wrote was erased: `message` is then empty, and `email`, `pageUrl`, `locale` and `origin` are null, which clients have always had to
   * expect. Absent: it is still there.
   */
  erasedAt: Timestamp.optional(),
});
export type FeedbackItem = z.infer<typeof FeedbackItem>;

const WRITTEN = { message: true, email: true, pageUrl: true, locale: true, origin: true } as const;

/**
 * A feedback item as a model reads it: everything that anyone on the internet could have written is inside `untrustedText`,
 * never next to the service's own words.
 */
export const AgentFeedbackItem = FeedbackItem.omit(WRITTEN).extend({ untrustedText: FeedbackItem.pick(WRITTEN) });
export type AgentFeedbackItem = z.infer<typeof AgentFeedbackItem>;
