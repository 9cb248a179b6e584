/**
 * How a flood of JWTs with made-up key ids affects other callers, and how often the issuer is asked for its keys meanwhile. The flood has a given rate, and
 * comes from so many addresses that none exceeds its limit. Three cases take turns in one run:
 * - no flood;
 * - the same flood at a server that refuses everything unread, which shows the share of the client and the machine;
 * - the flood at the gateways.
 *
 * `npm run bench -- made-up-keys [--tries 500,2000,10000] [--seconds 10] [--rounds 3]`
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { TrustRule } from '@worktrack/contracts/keys/trust-rules';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { SERVICES } from '@worktrack/stack/layout';
import { newIssuerKey, TestIssuer } from '../test/support/issuer.ts';
import { cpuUsOfGroups } from './support/cpu.ts';
import { type LoadRequest, type LoadResult, loadHttp } from './support/http-load.ts';
import { quantile } from './support/quantile.ts';
import { startSide } from './support/side.ts';
import { startBenchSystem } from './support/system.ts';
import { printTable } from './support/table.ts';

const WANTED_RATIO = 1.1;
const WANTED_FETCHES_PER_MINUTE = 1;
const MINUTE_MS = 60_000;
const MADE_UP = 20_000;
const FLOOD_CONNECTIONS = 200;
/** Of the other callers, of each kind. */
const CALLERS = 8;
const CALLS_PER_SECOND = 100;
/** Until a flood is at its full rate, and the gateways have met it. */
const WARM_UP_MS = 2_000;
const CLAIMS = { repository_id: '42', ref: 'refs/heads/main' };

const { values } = parseArgs({
  options: {
    tries: { type: 'string', default: '500,2000,10000' },
    seconds: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '3' },
  },
});
const rates = values.tries.split(',').map(Number);
const measuredMs = Number(values.seconds) * 1_000;

const issuer = await TestIssuer.start();
const bare = await startSide(join(import.meta.dirname, 'bare/refusing-server.ts'), process.env);
const system = await startBenchSystem({
  replicas: { gateway: 2, keys: 2 },
  env: { LOG_LEVEL: 'warn', TRUST_PROXY: 'loopback', OIDC_ALLOWED_NETWORKS: '127.0.0.1' },
});
try {
  const groups = SERVICES.flatMap((name) => system.services.of(name).map(({ part }) => part.pid ?? 0));
  const cpuUs = () => [...cpuUsOfGroups(groups).values()].reduce((sum, us) => sum + us, 0);
  const newRule = () =>
    system.call<TrustRule>('POST', '/api/trust-rules', {
      ...{ name: 'Bench', issuer: issuer.url, claims: CLAIMS, rateLimit: { requests: 0 } },
    });
  const exchange = (jwts: readonly string[]): LoadRequest => ({
    ...{ method: 'POST', path: '/oauth/token', lists: { jwt: jwts } },
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-for': '{ip}' },
    body: 'grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer&assertion={jwt}',
  });

  const { audience: flooded } = await newRule();
  const strangersKey = newIssuerKey('ES256');
  const flood = exchange(
    Array.from({ length: MADE_UP }, () =>
      issuer.jwt({ ...CLAIMS, aud: flooded }, { key: strangersKey, header: { kid: uuidv7() } }),
    ),
  );
  const { audience } = await newRule();
  const reads: LoadRequest = {
    ...{ method: 'GET', path: '/api/work-items?limit=10' },
    headers: { authorization: `Bearer ${system.apiKey}` },
  };

  const refusedOf = ({ requests, statuses }: LoadResult) => requests - (statuses[200] ?? 0);

  /** How long other callers' reads and exchanges take. */
  async function others(durationMs: number): Promise<readonly [reads: LoadResult, exchanges: LoadResult]> {
    const paced = { urls: system.gateways, connections: CALLERS, perSecond: CALLS_PER_SECOND, durationMs };
    const jwts = Array.from({ length: (CALLS_PER_SECOND * durationMs) / 1_000 }, () =>
      issuer.jwt({ ...CLAIMS, aud: audience }, { key: issuer.key('ES256') }),
    );
    return Promise.all([loadHttp({ ...paced, request: reads }), loadHttp({ ...paced, request: exchange(jwts) })]);
  }

  interface Side {
    readonly name: string;
    readonly perSecond: number;
    readonly urls: readonly string[];
    readonly rounds: { others: readonly [LoadResult, LoadResult]; flood: LoadResult | undefined; cpuUs: number }[];
  }
  const sides: Side[] = [
    { name: 'none', perSecond: 0, urls: [], rounds: [] },
    ...rates.flatMap((perSecond) => [
      { name: `${perSecond}/s at the least server`, perSecond, urls: [bare.url], rounds: [] },
      { name: `${perSecond}/s at the gateways`, perSecond, urls: system.gateways, rounds: [] },
    ]),
  ];
  await others(WARM_UP_MS);
  const begunAtMs = performance.now();
  const fetchesBefore = issuer.fetches;
  let firstNumber = 0;
  for (let round = 0; round < Number(values.rounds); round++) {
    // Whoever comes first in one round comes last in the next.
    for (const { perSecond, urls, rounds } of round % 2 === 0 ? sides : sides.toReversed()) {
      const durationMs = WARM_UP_MS + measuredMs;
      const paced = { urls, request: flood, connections: FLOOD_CONNECTIONS, perSecond, durationMs, firstNumber };
      const flooding = perSecond > 0 ? loadHttp(paced) : undefined;
      firstNumber += perSecond * (durationMs / 1_000);
      await others(WARM_UP_MS);
      const before = cpuUs();
      const measured = await others(measuredMs);
      rounds.push({ others: measured, cpuUs: cpuUs() - before, flood: await flooding });
    }
  }
  const minutes = (performance.now() - begunAtMs) / MINUTE_MS;

  const median = (side: Side, of: (round: Side['rounds'][number]) => number) => quantile(side.rounds.map(of), 0.5);
  const [alone] = sides as [Side];
  const p99 = (side: Side, kind: 0 | 1) => median(side, (round) => round.others[kind].p99Ms);
  const p99s = (side: Side) => [p99(side, 0), p99(side, 1)] as const;
  const [readsAlone, exchangesAlone] = p99s(alone);
  /** To the same flood at the least server: what is neither the client's nor the machine's. */
  const toLeast = (side: Side, kind: 0 | 1): number | string => {
    const least = sides.find(({ perSecond, urls }) => perSecond === side.perSecond && urls.includes(bare.url));
    return !least || least === side ? '' : p99s(side)[kind] / p99s(least)[kind];
  };
  printTable(
    [
      'flood',
      'tries answered/s',
      'by status',
      'reads, p99 ms',
      `ratio (wanted: ${WANTED_RATIO})`,
      'to the least',
      'exchanges, p99 ms',
      `ratio (wanted: ${WANTED_RATIO})`,
      'to the least',
      'other answers',
      'CPU of the services, %',
      "CPU of the flood's client, %",
    ],
    sides.map((side) => {
      const [readsMs, exchangesMs] = p99s(side);
      const statuses = side.rounds.map(({ flood }) => flood?.statuses ?? {});
      const kinds = [...new Set(statuses.flatMap((each) => Object.keys(each)))].map(Number);
      const count = (status: number) => statuses.reduce((sum, each) => sum + (each[status] ?? 0), 0);
      return [
        side.name,
        median(side, ({ flood }) => flood?.perSecond ?? 0),
        kinds.map((status) => `${status}: ${count(status)}`).join(', '),
        readsMs,
        readsMs / readsAlone,
        toLeast(side, 0),
        exchangesMs,
        exchangesMs / exchangesAlone,
        toLeast(side, 1),
        side.rounds.flatMap(({ others: both }) => both.map(refusedOf)).reduce((sum, count) => sum + count, 0),
        median(side, (round) => round.cpuUs / 1_000 / measuredMs) * 100,
        median(side, ({ flood }) => (flood?.cpuMs ?? 0) / (WARM_UP_MS + measuredMs)) * 100,
      ];
    }),
  );
  const fetches = issuer.fetches - fetchesBefore;
  console.log(
    `The issuer was asked for its keys ${fetches} times in ${minutes.toFixed(1)} minutes (wanted: at most ${WANTED_FETCHES_PER_MINUTE} a minute).`,
  );
} finally {
  await system.stop();
  bare.child.kill();
  await issuer.stop();
}
