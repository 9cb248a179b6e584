import { once } from 'node:events';
import { type ClientRequest, get } from 'node:http';

/** An open stream, read as cheaply as can be: many of them share the machine with what is measured. */
export interface StreamReader {
  /** Of the events, in the order of their coming. */
  readonly seqs: readonly number[];
  close(): void;
}

/** @param heard is told of each event, as JSON */
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
      const data = block.indexOf('data: ');
      const id = /^id: ?(\d+)$/m.exec(block)?.[1];
      // Without an id it is a beat; without data, where the stream begins.
      if (data < 0 || id === undefined) continue;
      seqs.push(Number(id));
      heard?.(block.slice(data + 'data: '.length));
    }
  });
  response.on('error', () => {});
  return { seqs, close: () => request.destroy() };
}
