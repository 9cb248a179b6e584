import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram } from '@worktrack/stack/processes/find-program';
import { type Ended, runToEnd } from '@worktrack/stack/processes/run-to-end';
import { Progress } from '@worktrack/stack/report/progress';
import { cacheRoot } from '@worktrack/stack/servers/pip';
import { loadAll } from 'js-yaml';
import { pythonPackages } from '../support/python-packages.ts';

const VERSION = 'v3.19.0';
/** One that is built from the module knows no version of Kubernetes itself. */
const KUBERNETES = '1.31.0';
/** Has the schemas of every version of Kubernetes in itself. */
const SCHEMAS = ['kubernetes-validate==1.37.0', 'typing-extensions'] as const;
const CHART = join(import.meta.dirname, '../../deploy/helm/worktrack');

/** @returns Helm's program, installed or made from its Go module in the user's cache folder; or why there is none */
export async function findHelm(): Promise<{ readonly helm: string } | { readonly missing: string }> {
  const installed = findProgram('helm');
  if (installed) return { helm: installed };
  const cached = join(cacheRoot(), `helm-${VERSION}`);
  const helm = join(cached, 'helm');
  if (existsSync(helm)) return { helm };
  const go = findProgram('go');
  if (!go) return { missing: 'there is neither Helm nor Go' };
  mkdirSync(cached, { recursive: true });
  const bin = mkdtempSync(join(cached, 'bin.'));
  const env = { ...process.env, GOPATH: join(cached, 'go'), GOFLAGS: '-modcacherw', GOBIN: bin };
  const made = await new Progress(process.stderr).step('Making Helm from its module (some minutes, once)', () =>
    runToEnd(go, ['install', `helm.sh/helm/v3/cmd/helm@${VERSION}`], env, cached),
  );
  if (made.ok) renameSync(join(bin, 'helm'), helm);
  rmSync(bin, { recursive: true });
  return made.ok ? { helm } : { missing: `Helm could not be made: ${made.lastLine}` };
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
