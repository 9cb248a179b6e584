import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newLease } from '../support/servers.ts';
import { startSystem } from '../support/system.ts';
import { schemathesis } from './schemathesis.ts';

/** At least this many: `npm run test:api -- --requests 10000`. Not part of `npm test`, because it takes minutes. */
const REQUESTS = Number(process.env.WORKTRACK_API_REQUESTS ?? 0);
const TIME_LIMIT_MS = 60 * 60_000;
/** Schemathesis' term for what conforms to the description and is refused all the same. */
const REFUSED = 'Schema-valid request rejected';
/** Operations and ways in which that happens: rules that no schema can express, such as that a cursor is one that the service issued. */
const MAX_REFUSED = 20;

/** They may end the calling key, so they come last. */
const ENDS_ITS_CALLER = ['keys.revoke', 'users.update'];
/** Each of its answers lasts until the client leaves: test/events/stream.test.ts. */
const NEVER_ENDS = 'events.stream';
const LONGEST_LINE = 240;

let system: Awaited<ReturnType<typeof startSystem>>;

describe.skipIf(REQUESTS === 0)(`of ${REQUESTS} requests made from the API's own description`, () => {
  beforeAll(async () => {
    system = await startSystem({ replicas: { gateway: 1 } });
  });
  afterAll(() => system?.stop());

  test(
    'none is answered 5xx, every answer has the documented status, type and shape, and next to none that conforms to it is refused',
    async () => {
      const { folder } = await newLease();
      const organization = await system.newOrganization();
      const description = (await (await fetch(`${system.baseUrl}/openapi.json`)).json()) as { paths: object };
      const operations = Object.values(description.paths).flatMap((path) => Object.keys(path)).length;
      const maxExamples = Math.ceil(REQUESTS / operations);
      const tryWith = async (...selected: string[]) => {
        const { output } = await schemathesis(
          [
            'run',
            `${system.baseUrl}/openapi.json`,
            ...['--header', `Authorization: Bearer ${organization.apiKey}`],
            ...['--phases', 'examples,coverage,fuzzing,stateful'],
            ...['--max-examples', `${maxExamples}`],
            ...['--checks', 'all'],
            '--continue-on-failure',
            // Longer than the longest wait of a claim.
            ...['--request-timeout', '75', '--max-response-time', '75'],
            ...['--suppress-health-check', 'all'],
            ...['--generation-database', 'none'],
            // With more, Python 3.11 crashes in its parser now and then.
            ...['--workers', '1'],
            ...selected,
          ],
          folder,
        );
        console.log(output.replace(new RegExp(`^(.{${LONGEST_LINE}}).*$`, 'gm'), '$1 …'));
        return failuresOf(output);
      };
      const withIds = (option: string, ...ids: string[]) => ids.flatMap((id) => [option, id]);
      const failures = [
        ...(await tryWith(...withIds('--exclude-operation-id', NEVER_ENDS, ...ENDS_ITS_CALLER))),
        ...(await tryWith(...withIds('--include-operation-id', ...ENDS_ITS_CALLER))),
      ];
      const statuses = await answersByStatus();
      const answered = [...statuses.values()].reduce((sum, count) => sum + count, 0);
      console.table(Object.fromEntries(statuses));
      expect([...statuses.keys()].filter((status) => status >= 500)).toEqual([]);
      expect(failures.filter(({ what }) => what !== REFUSED)).toEqual([]);
      expect(failures.reduce((sum, { times }) => sum + times, 0)).toBeLessThan(MAX_REFUSED);
      expect(answered).toBeGreaterThanOrEqual(REQUESTS);
    },
    TIME_LIMIT_MS,
  );
});

/** From the summary at the end; a run without one was cut short. */
function failuresOf(output: string): { readonly what: string; readonly times: number }[] {
  const [, summary] = output.split(/^=+ SUMMARY =+$/m);
  if (!summary?.includes('Test cases:')) throw new Error(`Schemathesis did not come to an end:\n${output}`);
  return [...summary.matchAll(/❌ ST\d+ (.+): (\d+)$/gm)].map(([, what = '', times]) => ({
    what,
    times: Number(times),
  }));
}

/** As counted by the gateway itself. */
async function answersByStatus(): Promise<Map<number, number>> {
  const [gateway] = system.services.of('gateway');
  const metrics = await (await fetch(`${gateway?.opsUrl}/metrics`)).text();
  const statuses = new Map<number, number>();
  for (const [, status, count] of metrics.matchAll(
    /^worktrack_http_request_seconds_count\{.*status="(\d+)".*\} (\d+)$/gm,
  )) {
    statuses.set(Number(status), (statuses.get(Number(status)) ?? 0) + Number(count));
  }
  return new Map([...statuses].sort(([a], [b]) => a - b));
}
