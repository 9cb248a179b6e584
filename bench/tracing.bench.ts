/**
 * What traces cost: not traced, and traced with one call in a hundred sampled.
 * `npm run bench -- tracing [--starts 8] [--rounds 4] [--requests 1000] [--of me,get,create,ingest]`
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { compareSides, SIZES } from './profile/beside.ts';
import type { Kind } from './profile/kinds.ts';

const { values } = parseArgs({
  options: {
    ...SIZES,
    of: { type: 'string', default: 'me,get,create,ingest' },
  },
});
let bytes = 0;
const receiver = createServer((request, response) => {
  request.on('data', (chunk: Buffer) => (bytes += chunk.length));
  request.on('end', () => response.end());
});
await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
const traced = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}` };
try {
  await compareSides(
    [
      { name: 'not traced', env: {} },
      { name: 'traced, 1 %', env: traced },
      { name: 'not traced, again', env: {} },
    ],
    { ...values, of: values.of.split(',') as Kind[] },
  );
  console.log(`\n${Math.round(bytes / 1024)} KiB were received.`);
} finally {
  receiver.close();
  receiver.closeAllConnections();
}
