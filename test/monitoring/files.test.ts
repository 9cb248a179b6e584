import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { allOperations } from '@worktrack/contracts/catalogue';
import { DEFAULT_DEADLINE_MS, type Operation } from '@worktrack/contracts/operation';
import { needPrometheus } from '@worktrack/stack/monitoring/find-prometheus';
import { grafanaJson } from '@worktrack/stack/monitoring/grafana';
import { DASHBOARDS } from '@worktrack/stack/monitoring/panels';
import { Progress } from '@worktrack/stack/report/progress';
import { load } from 'js-yaml';
import { describe, expect, test } from 'vitest';
import { TELLING_FAULTS } from '../faults/alerts.ts';

const repository = join(import.meta.dirname, '..', '..');
const file = (path: string) => readFileSync(join(repository, path), 'utf8');

interface Alert {
  readonly alert: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}
const { groups } = load(file('deploy/monitoring/rules.yaml')) as {
  groups: { rules: (Alert | { record: string })[] }[];
};
const alerts = groups.flatMap(({ rules }) => rules.filter((rule) => 'alert' in rule));
const { tests } = load(file('deploy/monitoring/rules.test.yaml')) as {
  tests: { alert_rule_test: { alertname: string; exp_alerts: object[] }[] }[];
};

const runbooks = file('docs/runbooks.md');
const sectionOf = ({ alert }: Alert) => runbooks.split(/^## /m).find((text) => text.startsWith(`${alert}\n`)) ?? '';

const programs = await needPrometheus(new Progress(process.stderr)).catch((error: Error) => error.message);
const reason = typeof programs === 'string' ? programs : undefined;

test.skipIf(reason)(`the rules do what their tests say${reason ? ` (not here: ${reason})` : ''}`, async () => {
  const { promtool } = programs as { promtool: string };
  // It says what is wrong on standard output, which the error of a failed command contains.
  const run = promisify(execFile)(promtool, ['test', 'rules', 'deploy/monitoring/rules.test.yaml'], {
    cwd: repository,
  });
  const { stdout } = await run.catch((error: Error & { stdout: string }) => {
    throw new Error(error.stdout);
  });
  expect(stdout).toContain('SUCCESS');
});

describe.each(alerts)('$alert', (alert) => {
  const checks = tests.flatMap((each) => each.alert_rule_test.filter(({ alertname }) => alertname === alert.alert));

  test('is tested firing, and silent', () => {
    expect(new Set(checks.map(({ exp_alerts }) => exp_alerts.length > 0))).toEqual(new Set([true, false]));
  });

  test('says how urgent it is, and has a section of the runbooks that says what to do', () => {
    expect(alert.annotations.runbook_url).toBe(`docs/runbooks.md#${alert.alert.toLowerCase()}`);
    expect(['page', 'ticket']).toContain(alert.labels.severity);
    expect(sectionOf(alert)).toContain(`\`severity: ${alert.labels.severity}\``);
    for (const part of ['What it means', 'How to see it', 'What to do'])
      expect(sectionOf(alert)).toContain(`**${part}.**`);
  });
});

/** Waits, transfers, or somebody else's server: what takes its time although all is well. */
const takesItsTime = ({ deadlineMs = 0, lane, waitField, bytes }: Operation) =>
  deadlineMs > DEFAULT_DEADLINE_MS || lane === 'long' || waitField !== undefined || bytes !== undefined;

test('nobody is woken by what takes its time although all is well', () => {
  const timed = (name: string) => {
    const found = [...file('deploy/monitoring/rules.yaml').matchAll(new RegExp(`${name}!~"([^"]+)"`, 'g'))];
    const [only, ...others] = new Set(found.map(([, pattern = '']) => pattern));
    expect([only, others]).toEqual([expect.any(String), []]);
    return new RegExp(`^(${only})$`);
  };
  const [notRoutes, notTools] = [timed('route'), timed('tool')];
  const slow = allOperations().filter(takesItsTime);
  const routes = slow.flatMap(({ rest }) => (rest ? [rest.slice(rest.indexOf('/'))] : []));
  const tools = slow.flatMap(({ mcp }) => (mcp ? [mcp.tool] : []));
  expect([routes.length, tools.length].every((count) => count > 1)).toBe(true);
  expect([...routes, ...tools].filter((each) => !notRoutes.test(each) && !notTools.test(each))).toEqual([]);
});

test('the runbooks have no section without an alert', () => {
  const sections = [...runbooks.matchAll(/^## (.*)$/gm)].map(([, title]) => title);
  expect(sections.toSorted()).toEqual(alerts.map(({ alert }) => alert).toSorted());
});

test.each(DASHBOARDS)('the dashboard “$title” is checked in as it is in the list of panels', async (dashboard) => {
  const json = `${JSON.stringify(grafanaJson(dashboard), undefined, 2)}\n`;
  await expect(json).toMatchFileSnapshot(join(repository, 'deploy/monitoring/dashboards', `${dashboard.file}.json`));
});

test('each panel’s title asks a question', () => {
  const questions = DASHBOARDS.flatMap(({ panels }) => panels.map(({ question }) => question));
  expect(questions.filter((question) => !question.includes('?'))).toEqual([]);
  expect(new Set(questions).size).toBe(questions.length);
});

/** Alerts for the working day that no fault of test/faults/alerts.test.ts raises within its minute. */
const TAKES_LONGER: Readonly<Record<string, string>> = {
  WorktrackBudgetBurnsSlowly: 'looks back three days',
  WorktrackOutboxLag: 'services publish again as soon as the broker is back, so nothing is left to see',
  WorktrackSpoolWaits: 'only what waits longer than a minute is worth a word',
  WorktrackSpoolSetAside: 'the service has to fail on one submission for a day',
  WorktrackWebhookBacklog: 'somebody else’s server may be away for five minutes',
  WorktrackDatabasePoolExhausted: 'only a minute of it is worth a word',
  WorktrackProcessSaturated: 'five minutes without CPU',
  WorktrackLeaseSweepLate: 'any replica does it for all, and without any ServiceDown says so',
  WorktrackClockWrong: 'a machine’s clock is none of the faults',
  WorktrackQueueWithoutConsumer: 'of RabbitMQ’s own exporter',
  WorktrackBrokerAlarm: 'of RabbitMQ’s own exporter',
  WorktrackServerDown: 'of the servers’ own exporters',
  WorktrackDiskNearlyFull: 'of node_exporter',
};

test('every alert is raised by a fault, or it is said why not', () => {
  const raised = TELLING_FAULTS.flatMap(({ pages, tickets }) => [...pages, ...tickets]);
  const all = [...new Set([...raised, ...Object.keys(TAKES_LONGER)])];
  expect(all.toSorted()).toEqual(alerts.map(({ alert }) => alert).toSorted());
  expect(raised.filter((alert) => alert in TAKES_LONGER)).toEqual([]);
  const pages = alerts.filter(({ labels }) => labels.severity === 'page').map(({ alert }) => alert);
  expect(new Set(TELLING_FAULTS.flatMap(({ pages }) => pages))).toEqual(new Set(pages));
});

test('the page about reliability has the table of faults and alerts as it is tested', () => {
  const short = (names: readonly string[]) => names.map((name) => name.replace('Worktrack', '')).join(', ');
  const rows = TELLING_FAULTS.map(({ name, pages, tickets, mayPage = [] }) => {
    const wakes = [short(pages), mayPage.length > 0 ? `(${short(mayPage)})` : '']
      .filter((each) => each !== '')
      .join(' ');
    return `| ${name} | ${wakes || 'nobody'} | ${short(tickets) || 'nobody'} |`;
  });
  const [, section = ''] = file('docs/reliability.md').split('## Who is told\n');
  expect(section.match(/^\| .* \|$/gm)?.slice(1)).toEqual(rows);
});
