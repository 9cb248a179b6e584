import { questionOf, respond } from './exchange.ts';
import type { Load, LoadResult, Side } from './side.ts';

/** Arguments: the side's module, `server` or `client`, the broker's URL, and for a client what its server said. */
const [module = '', role, url = '', address] = process.argv.slice(2);
const side = (await import(module)) as Side;

if (role === 'server') {
  process.send?.(await side.serve({ url, respond }));
} else {
  const client = await side.connectTo({ url, address: address === undefined ? undefined : Number(address) });
  process.on('message', async (load: Load) => process.send?.(await run(client, load)));
  process.send?.({});
}
process.on('disconnect', () => process.exit(0));

/** A closed loop: as many callers as calls in flight, each making its next call as soon as its last is answered. */
async function run(client: Awaited<ReturnType<Side['connectTo']>>, load: Load): Promise<LoadResult> {
  const latenciesMs: number[] = [];
  const startedAtMs = performance.now();
  const endAtMs = startedAtMs + load.durationMs;
  let n = 0;
  async function caller(): Promise<void> {
    for (let calledAtMs = startedAtMs; calledAtMs < endAtMs; ) {
      const question = questionOf(n++);
      const { id } = await client.call(question);
      if (id !== question.workItemId) throw new Error(`asked for ${question.workItemId} and got ${id}`);
      const answeredAtMs = performance.now();
      latenciesMs.push(answeredAtMs - calledAtMs);
      calledAtMs = answeredAtMs;
    }
  }
  await Promise.all(Array.from({ length: load.inFlight }, caller));
  const tookMs = performance.now() - startedAtMs;
  latenciesMs.sort((a, b) => a - b);
  const quantile = (q: number) => latenciesMs[Math.floor(latenciesMs.length * q)] ?? 0;
  return { calls: latenciesMs.length, tookMs, p50Ms: quantile(0.5), p99Ms: quantile(0.99) };
}
