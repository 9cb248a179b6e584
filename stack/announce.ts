import { CODE_MINUTES } from '@worktrack/contracts/keys/sessions';
import { linkCommand } from './options.ts';
import type { Progress } from './report/progress.ts';
import { OTHER_KEY, type Seeded } from './seed/seed.ts';

export interface Announcement {
  readonly baseUrl: string;
  /** Of the gateways other than the first. */
  readonly moreGateways: readonly string[];
  readonly seed: Seeded;
  /** Signs in to the console, once. Undefined where the key no longer works. */
  readonly loginLink: string | undefined;
  readonly dataDir: string;
  readonly prometheusUrl: string | undefined;
  readonly tookMs: number;
  readonly howToStop: string;
}

/** What a person needs next, once everything is ready. */
export function announce(progress: Progress, it: Announcement): void {
  const { baseUrl, seed } = it;
  const key = seed.isNew ? seed.apiKey : '<your API key>';
  const mcp = {
    mcpServers: {
      worktrack: {
        type: 'http',
        url: `${baseUrl}/mcp?projectId=${seed.projectId}`,
        headers: { Authorization: `Bearer ${key}` },
      },
    },
  };
  const lines = [
    '',
    `  Console       ${it.loginLink ?? `${baseUrl}/console/`}`,
    it.loginLink
      ? `                The link signs in once, within ${CODE_MINUTES} minutes; ${linkCommand(it.dataDir)} creates another.`
      : `                The API key of the first start is refused, so there is no link that signs in. ${OTHER_KEY}`,
    '',
    `  API           ${baseUrl}/api`,
    `  MCP           ${baseUrl}/mcp`,
    ...it.moreGateways.map((url) => `  and at        ${url}`),
    `  Widget page   ${baseUrl}/widget/demo?publicKey=${seed.source.publicKey}`,
    ...(it.prometheusUrl ? [`  Prometheus    ${it.prometheusUrl}`] : []),
    `  Data, logs    ${it.dataDir}`,
    '',
    ...(seed.isNew
      ? [`  API key       ${seed.apiKey}`, '                Shown only this once; it has all permissions.', '']
      : []),
    '  MCP client entry:',
    ...JSON.stringify(mcp, undefined, 2)
      .split('\n')
      .map((line) => `    ${line}`),
    '',
    `${it.howToStop}`,
  ];
  progress.line(`\nworktrack is ready (${(it.tookMs / 1000).toFixed(1)} s).`);
  // The link and the key give an owner's rights, and logs are passed on.
  progress.secret(lines.join('\n'));
}
