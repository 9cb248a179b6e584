import type { LoggedEvent } from '@worktrack/contracts/events/event';

/** Server-Sent Events (HTML, 9.2.5): one field per line, and an empty line at the end of each event. JSON has no line breaks. */
export function eventFrame(event: LoggedEvent): string {
  return `id: ${event.seq}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** Without an id: a client that resumes does not resume from here. */
export function passingFrame(type: string, data: object): string {
  return `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** With an id, so that a client that loses its connection before anything happens resumes from this place. */
export function placeFrame(type: string, after: number): string {
  return `id: ${after}\nevent: ${type}\ndata: {"after":${after}}\n\n`;
}

/** A comment: proxies close silent connections, and it reveals clients that are gone. The id spares a resuming client what its filters left out. */
export const keepAliveFrame = (after: number) => `:\nid: ${after}\n\n`;

/** How long a client waits before it reconnects, and where it resumes. */
export const retryFrame = (retryMs: number, after: number) => `id: ${after}\nretry: ${retryMs}\n\n`;
