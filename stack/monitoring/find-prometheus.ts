import { findProgram } from '../processes/find-program.ts';
import type { Progress } from '../report/progress.ts';
import { StartError } from '../report/start-error.ts';
import { installDebianPackages } from '../servers/apt.ts';

export interface PrometheusPrograms {
  readonly prometheus: string;
  readonly promtool: string;
}

/** Debian's packages have both programs in one; so do most others. */
function findPrometheus(): PrometheusPrograms | undefined {
  const prometheus = findProgram('prometheus');
  const promtool = findProgram('promtool');
  return prometheus && promtool ? { prometheus, promtool } : undefined;
}

/** @throws StartError if it is not there and cannot be installed */
export async function needPrometheus(progress: Progress): Promise<PrometheusPrograms> {
  const found = findPrometheus();
  if (found) return found;
  await installDebianPackages(['prometheus'], 'Prometheus', progress, 'Otherwise leave out `--monitoring`.');
  const installed = findPrometheus();
  if (!installed) throw new StartError('Prometheus was installed but cannot be found.');
  return installed;
}

/** Debian names it after Prometheus, everybody else does not. Only for tests: an operator has one, or another way to be told. @throws as needPrometheus */
export async function needAlertmanager(progress: Progress): Promise<string> {
  const find = () => findProgram('prometheus-alertmanager') ?? findProgram('alertmanager');
  const found = find();
  if (found) return found;
  await installDebianPackages(['prometheus-alertmanager'], 'Alertmanager', progress);
  const installed = find();
  if (!installed) throw new StartError('Alertmanager was installed but cannot be found.');
  return installed;
}
