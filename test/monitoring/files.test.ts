import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { needPrometheus } from '@worktrack/stack/monitoring/find-prometheus';
import { grafanaJson } from '@worktrack/stack/monitoring/grafana';
import { DASHBOARDS } from '@worktrack/stack/monitoring/panels';
import { Progress } from '@worktrack/stack/progress';
import { load } from 'js-yaml';
import { describe, expect, test } from 'vitest';

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
