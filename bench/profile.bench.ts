/**
 * Where the CPU time of one call goes, per process. The services run under V8's sampling profiler while one kind of call is made; their time is added up by
 * package, by Node module and by our own folders.
 * `npm run bench -- profile [--of create|get|me|flood|ingest] [--connections 1] [--requests 2000] [--top 12]`
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Kind, kinds } from './profile/kinds.ts';
import { profilesIn } from './profile/profiles.ts';
import { followed } from './support/followed.ts';
import { loadHttp } from './support/http-load.ts';
import { startBenchServers, startBenchSystem } from './support/system.ts';
import { printTable } from './support/table.ts';

const WARM_UP_SHARE = 0.25;
const { values } = parseArgs({
  options: {
    of: { type: 'string', default: 'create' },
    connections: { type: 'string', default: '1' },
    requests: { type: 'string', default: '2000' },
    top: { type: 'string', default: '12' },
  },
});
const requests = Number(values.requests);
const kind = kinds[values.of as Kind];
if (!kind) throw new Error(`--of takes one of ${Object.keys(kinds).join(', ')}.`);

const folder = mkdtempSync(join(tmpdir(), 'worktrack-profile-'));
const servers = await startBenchServers();
try {
  const system = await startBenchSystem({
    on: servers,
    env: { LOG_LEVEL: 'warn', TRUST_PROXY: 'loopback', NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${folder}` },
  });
  const names = new Map(system.services.replicas.map(({ service, part }) => [part.pid, service as string]));
  const { request } = await kind(system);
  const load = { urls: system.gateways, request, connections: Number(values.connections) };
  await loadHttp({ ...load, requests: Math.ceil(requests * WARM_UP_SHARE) });
  await loadHttp({ ...load, requests, firstNumber: requests });
  await followed(system);
  // In order, so that each writes its profile.
  await system.services.stop();

  for (const { pid, posts, totalMs } of profilesIn(folder)) {
    const all = requests * (1 + WARM_UP_SHARE);
    console.log(`\n${names.get(pid) ?? pid}: ${((totalMs * 1_000) / all).toFixed(0)} µs a call, of which`);
    printTable(
      ['', 'µs', '%'],
      posts.slice(0, Number(values.top)).map(([name, ms]) => [name, (ms * 1_000) / all, (ms / totalMs) * 100]),
    );
  }
} finally {
  await servers.discard();
  rmSync(folder, { recursive: true, force: true });
}
