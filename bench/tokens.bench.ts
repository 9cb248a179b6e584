/**
 * How many ID tokens are exchanged per second while the issuer's keys are cached, and what a tool call costs with a token compared with a key. Costs are the
 * CPU time of all services, which other work on the machine affects little.
 * `npm run bench -- tokens [--exchanges 5000] [--calls 3000] [--rounds 3]`
 */
import { parseArgs } from 'node:util';
import type { TrustRule } from '@worktrack/contracts/keys/trust-rules';
import { SERVICES } from '@worktrack/stack/layout';
import { AppServer, askToken, connectApp } from '../test/support/app.ts';
import { signIn } from '../test/support/browser-request.ts';
import { TestIssuer } from '../test/support/issuer.ts';
import { cpuUsOfGroups } from './support/cpu.ts';
import { type LoadRequest, loadHttp } from './support/http-load.ts';
import { startBenchSystem } from './support/system.ts';
import { printTable } from './support/table.ts';

const WANTED_EXCHANGES_PER_SECOND = 500;
const CONNECTIONS = 16;
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const CLAIMS = { repository_id: '42', ref: 'refs/heads/main' };

const { values } = parseArgs({
  options: {
    exchanges: { type: 'string', default: '5000' },
    calls: { type: 'string', default: '3000' },
    rounds: { type: 'string', default: '3' },
  },
});

const [apps, issuer] = await Promise.all([AppServer.start(), TestIssuer.start()]);
const system = await startBenchSystem({
  env: {
    LOG_LEVEL: 'warn',
    TOKEN_REQUESTS_PER_IP: '1000000',
    OIDC_ALLOWED_NETWORKS: '127.0.0.1',
    OAUTH_CLIENT_ALLOWED_NETWORKS: '127.0.0.1',
  },
});
try {
  const [gateway = ''] = system.gateways;
  const groups = SERVICES.flatMap((name) => system.services.of(name).map(({ part }) => part.pid ?? 0));
  const cpuUs = () => [...cpuUsOfGroups(groups).values()].reduce((sum, us) => sum + us, 0);
  async function measured(request: LoadRequest, requests: number) {
    const before = cpuUs();
    const result = await loadHttp({ urls: [gateway], request, connections: CONNECTIONS, requests });
    if (Object.keys(result.statuses).some((status) => status !== '200')) {
      throw new Error(`${request.path} answered ${JSON.stringify(result.statuses)}.`);
    }
    return { ...result, cpuUsEach: (cpuUs() - before) / result.requests };
  }

  const rule = await system.call<TrustRule>('POST', '/api/trust-rules', {
    ...{ name: 'Bench', issuer: issuer.url, claims: CLAIMS, rateLimit: { requests: 0 } },
  });
  const jwts = (count: number) => Array.from({ length: count }, () => issuer.jwt({ ...CLAIMS, aud: rule.audience }));
  const exchange = (list: readonly string[]): LoadRequest => ({
    ...{ method: 'POST', path: '/oauth/token', headers: FORM },
    ...{ body: new URLSearchParams({ grant_type: GRANT }).toString().concat('&assertion={jwt}'), lists: { jwt: list } },
  });
  // Warms up, and lets the issuer be asked for its keys.
  await measured(exchange(jwts(500)), 500);
  const { perSecond, p99Ms, cpuUsEach } = await measured(
    exchange(jwts(Number(values.exchanges))),
    Number(values.exchanges),
  );
  printTable(
    [`exchanges/s (wanted: ${WANTED_EXCHANGES_PER_SECOND})`, 'p99, ms', 'CPU of the services each, µs', 'keys fetched'],
    [[perSecond, p99Ms, cpuUsEach, issuer.fetches]],
  );

  const { body } = await askToken(
    gateway,
    { grant_type: GRANT, assertion: issuer.jwt({ ...CLAIMS, aud: rule.audience }) },
    '/oauth/token',
  );
  const cookie = await signIn(gateway, { apiKey: system.apiKey });
  const call = (path: string, token: string): LoadRequest => ({
    ...{ method: 'POST', path },
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_work_items","arguments":{}}}',
  });
  const best = new Map<string, number>();
  // The first round warms up.
  for (let round = 0; round <= Number(values.rounds); round++) {
    // Each time: the rate of an app cannot be lifted, and two rounds are more than it allows in a minute.
    const app = await connectApp(gateway, cookie, apps.publish());
    const sides: readonly (readonly [name: string, request: LoadRequest])[] = [
      ['a key, at /mcp', call('/mcp', system.apiKey)],
      ['wtt_, at /mcp', call('/mcp', body.access_token)],
      ['wto_, at /connect', call('/connect', app.access_token)],
    ];
    for (const [name, request] of sides) {
      const { cpuUsEach } = await measured(request, Number(values.calls));
      if (round > 0) best.set(name, Math.min(best.get(name) ?? Number.POSITIVE_INFINITY, cpuUsEach));
    }
  }
  const ofKey = best.get('a key, at /mcp') ?? Number.NaN;
  printTable(
    ['list_work_items with', 'CPU of the services each, µs', 'ratio (wanted: 1)'],
    [...best].map(([name, us]) => [name, us, us / ofKey]),
  );
} finally {
  await system.stop();
  await Promise.all([apps.stop(), issuer.stop()]);
}
