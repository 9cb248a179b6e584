import type { Bootstrap } from '@worktrack/contracts/feedback/public-api';
import type { Source } from '@worktrack/contracts/feedback/records';
import type { TrustRule } from '@worktrack/contracts/keys/trust-rules';
import type { Board } from '@worktrack/contracts/projects/board';
import type { Project } from '@worktrack/contracts/projects/project';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { newIssuerKey, signJwt } from '../../test/support/issuer.ts';
import type { LoadRequest } from '../support/http-load.ts';
import type { System } from '../support/system.ts';
import { newItem } from '../work-items/fill.ts';

export type Kind = keyof typeof kinds;

/** The calls that can be profiled, each with what it needs. */
export const kinds = {
  async create(system: System) {
    const { project, board } = await projectOf(system);
    const column = board.columns[0]?.id ?? '';
    return { request: post(system, '/api/work-items', newItem('{n}', project, column)) };
  },
  async get(system: System) {
    const { project, board } = await projectOf(system);
    const fields = newItem(1, project, board.columns[0]?.id ?? '');
    const { id } = await system.call<{ id: string }>('POST', '/api/work-items', fields);
    return { request: get(system, `/api/work-items/${id}`) };
  },
  async me(system: System) {
    return { request: get(system, '/api/me') };
  },
  /** A JWT with a made-up key id, in a flood of them. */
  async flood(system: System) {
    const key = newIssuerKey('ES256');
    const issuer = 'https://issuer.example';
    const { audience: aud } = await system.call<TrustRule>('POST', '/api/trust-rules', {
      ...{ name: 'Bench', issuer, jwks: { keys: [key.jwk] }, claims: { repository_id: '42', ref: 'refs/heads/main' } },
    });
    const jwt = Array.from({ length: 1_000 }, () =>
      signJwt({ alg: 'ES256', kid: uuidv7() }, { iss: issuer, aud }, key),
    );
    return {
      request: {
        ...{ method: 'POST', path: '/oauth/token', lists: { jwt } },
        headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-for': '{ip}' },
        body: 'grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer&assertion={jwt}',
      } satisfies LoadRequest,
    };
  },
  async ingest(system: System) {
    const source = await system.call<Source>('POST', '/api/feedback/sources', {
      name: 'Bench',
      requireCaptcha: false,
      rateLimit: { perIp: 1_000_000, perSource: 1_000_000, windowSeconds: 1 },
    });
    const response = await fetch(`${system.gateways[0]}/feedback/widget/bootstrap?publicKey=${source.publicKey}`);
    const { token } = ((await response.json()) as { data: Bootstrap }).data;
    const message = 'The export of a project with many attachments ends with an error, number {n}.';
    const submission = { publicKey: source.publicKey, token, message, category: 'bug', email: 'ada@example.com' };
    return {
      request: {
        method: 'POST',
        path: '/feedback/ingest',
        headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': '{ip}' },
        body: JSON.stringify(submission),
      } satisfies LoadRequest,
    };
  },
} as const;

async function projectOf(system: System) {
  const project = await system.call<Project>('POST', '/api/projects', { name: 'Bench' });
  return { project, board: await system.call<Board>('GET', `/api/boards/${project.defaultBoardId}`) };
}

const get = ({ apiKey }: System, path: string): LoadRequest => ({
  method: 'GET',
  path,
  headers: { Authorization: `Bearer ${apiKey}` },
});

const post = (system: System, path: string, body: object): LoadRequest => ({
  ...get(system, path),
  method: 'POST',
  headers: { Authorization: `Bearer ${system.apiKey}`, 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
});
