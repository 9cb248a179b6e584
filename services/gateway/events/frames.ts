import type { LoggedEvent } from '@worktrack/contracts/events/event';

/** Server-Sent Events (HTML, 9.2.5): fields by lines, and an empty line at the end of each event. JSON has no line breaks. */
export function eventFrame(event: LoggedEvent): string {
  return `id: ${event.seq}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** Without an id: a client that resumes does not resume from here. */
export function passingFrame(type: string, data: object): string {
  return `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** The first of a stream. With an id, so that a client that loses its connection before anything happens resumes from there. */
export function listeningFrame(after: number): string {
  return `id: ${after}\nevent: listening\ndata: {"after":${after}}\n\n`;
}

/** A comment: proxies end what is silent for long, and a client that is gone is noticed by it. */
export const KEEP_ALIVE_FRAME = ':\n\n';

/** How long a client waits until it connects again. */
export const retryFrame = (retryMs: number) => `retry: ${retryMs}\n\n`;
