import type { IncomingMessage, ServerResponse } from 'node:http';
import type { EventType, LoggedEvent } from '@worktrack/contracts/events/event';
import type { WorkItem } from '@worktrack/contracts/work-items/work-item';

/** The stream of events as its documentation has it, told by a test: so that it breaks, and forgets, when the test says so. */
export class ScriptedStream {
  readonly #open = new Set<ServerResponse>();
  /** What is still in the log. */
  #log: LoggedEvent[] = [];
  #seq = 100;
  /** Whether streams are refused. */
  isDown = false;
  /** `after` of each stream that was asked for. */
  readonly asked: (string | null)[] = [];

  get openStreams(): number {
    return this.#open.size;
  }

  answer(request: IncomingMessage, response: ServerResponse): void {
    const after = new URL(request.url ?? '', 'http://localhost').searchParams.get('after');
    this.asked.push(after);
    const oldest = this.#log[0]?.seq ?? this.#seq + 1;
    if (this.isDown) return void response.writeHead(503).end();
    if (after !== null && Number(after) < oldest - 1) return void response.writeHead(410).end();
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    response.write(`id: ${after ?? this.#seq}\n: open\n\n`);
    for (const event of this.#log) if (after !== null && event.seq > Number(after)) write(response, event);
    this.#open.add(response);
    response.on('close', () => this.#open.delete(response));
  }

  /** Something happened to an item, as the log says it. */
  tell(type: EventType, { id, taskId, projectId, version }: WorkItem): void {
    this.#seq++;
    const event: LoggedEvent = {
      seq: this.#seq,
      id: `event-${this.#seq}`,
      type,
      at: new Date().toISOString(),
      actor: null,
      projectId,
      subject: { kind: 'work_item', id, taskId },
      revision: version,
      data: {},
    };
    this.#log.push(event);
    for (const response of this.#open) write(response, event);
  }

  /** Ends all streams; whoever comes again is refused until it is up. */
  goDown(): void {
    this.isDown = true;
    for (const response of this.#open) response.destroy();
  }

  /** What was told so far is no longer in the log. */
  forget(): void {
    this.#seq += 10;
    this.#log = [];
  }
}

function write(response: ServerResponse, event: LoggedEvent): void {
  response.write(`id: ${event.seq}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}
