import type { LoggedEvent } from '@worktrack/contracts/events/event';

export interface Frame {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: unknown;
}

/** A reader of `GET /api/events/stream`, and what it has received. */
export class StreamReader {
  readonly frames: Frame[] = [];
  /** Settles when the stream has ended, from whichever side. */
  readonly ended: Promise<void>;
  readonly #leaving: AbortController;

  private constructor(response: Response, leaving: AbortController) {
    this.#leaving = leaving;
    this.ended = this.#read(response).catch(() => {});
  }

  /** Resolves once the server listens. @throws where it is refused */
  static async open(
    baseUrl: string,
    apiKey: string,
    query = '',
    headers: Readonly<Record<string, string>> = {},
  ): Promise<StreamReader> {
    const leaving = new AbortController();
    const response = await fetch(`${baseUrl}/api/events/stream${query}`, {
      headers: { authorization: `Bearer ${apiKey}`, accept: 'text/event-stream', ...headers },
      signal: leaving.signal,
    });
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
    return new StreamReader(response, leaving);
  }

  get events(): LoggedEvent[] {
    return this.frames.filter(({ event }) => event.includes('.')).map(({ data }) => data as LoggedEvent);
  }

  get lastId(): string | undefined {
    return this.frames.findLast(({ id }) => id !== undefined)?.id;
  }

  leave(): void {
    this.#leaving.abort();
  }

  async #read(response: Response): Promise<void> {
    let text = '';
    for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const blocks = (text + part).split('\n\n');
      text = blocks.pop() ?? '';
      this.frames.push(...blocks.flatMap(frame));
    }
  }
}

/** What a stream sent, as far as it is complete. */
export function framesIn(text: string): Frame[] {
  return text.split('\n\n').slice(0, -1).flatMap(frame);
}

/** For a comment, none. */
function frame(block: string): Frame[] {
  const fields = Object.fromEntries(
    block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
  );
  if (fields.data === undefined) return [];
  return [{ id: fields.id, event: fields.event ?? '', data: JSON.parse(fields.data) }];
}
