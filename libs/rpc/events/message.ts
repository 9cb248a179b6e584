import type { LoggedEvent, PublishedEvent } from '@worktrack/contracts/events/event';
import type { Beat } from '@worktrack/contracts/work-items/agents/beat';
import { z } from 'zod';
import { MAX_BATCH_BYTES, MAX_BATCH_ITEMS } from '../message/batch.ts';
import type { RequestSigner } from '../message/signature.ts';
import { signedMessage, verifiedJson } from '../message/signed.ts';

/** Events on one topic, as one message. */
export interface EventsMessage {
  readonly topic: string;
  readonly content: Buffer;
}

/** The part of an event's type that messages are routed by: `work_item` in `work_item.moved`. A topic per type would mean a message per event, since a write makes several. */
export const topicOf = (type: string) => type.slice(0, type.indexOf('.'));

/**
 * Cuts events into messages, in order: each holds consecutive events on one topic.
 *
 *   { e: [ event … ] }
 */
export function* eventsMessages(signer: RequestSigner, events: readonly PublishedEvent[]): Generator<EventsMessage> {
  let topic = '';
  let items: string[] = [];
  let bytes = 0;
  const message = () => ({ topic, content: signedMessage(signer, `{"e":[${items.join(',')}]}`) });
  for (const event of events) {
    const item = JSON.stringify(event);
    const itemBytes = Buffer.byteLength(item);
    const itsTopic = topicOf(event.type);
    const fits = itsTopic === topic && items.length < MAX_BATCH_ITEMS && bytes + itemBytes <= MAX_BATCH_BYTES;
    if (items.length > 0 && !fits) {
      yield message();
      items = [];
      bytes = 0;
    }
    topic = itsTopic;
    items.push(item);
    bytes += itemBytes;
  }
  if (items.length > 0) yield message();
}

/**
 * What the log needs from an event. Types and kinds may be anything: during an update a service may publish what its reader's version does not
 * know yet, and the log must keep it.
 */
const AnyEvent = z.object({
  id: z.string().min(1),
  organizationId: z.string().min(1),
  type: z.string().min(1),
  at: z.string(),
  actor: z.object({ userId: z.string(), keyId: z.string(), agent: z.string().optional() }).nullable(),
  projectId: z.string().optional(),
  subject: z.object({ kind: z.string().min(1), id: z.string().min(1), taskId: z.string().optional() }),
  revision: z.int(),
  data: z.record(z.string(), z.unknown()),
});
const AnyEvents = z.object({ e: z.array(AnyEvent) });

/** Throws UnverifiedMessage, or on anything that eventsMessages did not make. */
export function readEvents(signer: RequestSigner, content: Buffer): readonly PublishedEvent[] {
  return AnyEvents.parse(verifiedJson(signer, content)).e as unknown as readonly PublishedEvent[];
}

/** One item on the live feed of an organization. */
export type News =
  | { readonly kind: 'events'; readonly events: readonly LoggedEvent[] }
  | { readonly kind: 'beat'; readonly beat: Beat };

/** The signature covers the organization, unlike the routing key.  { o: organizationId, n: news } */
export function newsMessage(signer: RequestSigner, organizationId: string, news: News): Buffer {
  return signedMessage(signer, JSON.stringify({ o: organizationId, n: news }));
}

const AnyNews = z.object({ o: z.string(), n: z.looseObject({ kind: z.string() }) });

/** Throws UnverifiedMessage, or on anything that newsMessage did not make. */
export function readNews(
  signer: RequestSigner,
  content: Buffer,
): { readonly organizationId: string; readonly news: News } {
  const { o: organizationId, n: news } = AnyNews.parse(verifiedJson(signer, content));
  return { organizationId, news: news as unknown as News };
}
