import { once } from 'node:events';
import { type ClientRequest, get } from 'node:http';

/** An open stream, read as cheaply as possible: many of them share the machine with what is measured. */
export interface StreamReader {
  /** The events', in order of arrival. */
  readonly seqs: readonly number[];
  close(): void;
}

/** @param heard called with each event, as JSON */
export async function openStream(
  gateway: string,
  apiKey: string,
  heard?: (event: string) => void,
): Promise<StreamReader> {
  const request: ClientRequest = get(`${gateway}/api/events/stream`, {
    agent: false,
    headers: { authorization: `Bearer ${apiKey}`, accept: 'text/event-stream' },
  });
  const [response] = await once(request, 'response');
  if (response.statusCode !== 200) throw new Error(`A stream was answered with ${response.statusCode}.`);
  const seqs: number[] = [];
  let pending = '';
  response.setEncoding('utf8');
  response.on('data', (chunk: string) => {
    const blocks = (pending + chunk).split('\n\n');
    pending = blocks.pop() ?? '';
    for (const block of blocks) {
      // What is not an event of the log has no dot in its name.
      const [, seq, data] = /^id: (\d+)\nevent: \w+\.\w+\ndata: (.*)$/.exec(block) ?? [];
      if (seq === undefined || data === undefined) continue;
      seqs.push(Number(seq));
      heard?.(data);
    }
  });
  response.on('error', () => {});
  return { seqs, close: () => request.destroy() };
}
