import { findProgram } from '../processes/find-program.ts';
import type { Progress } from '../report/progress.ts';
import { foundOrInstalled } from '../servers/apt.ts';

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
export function needPrometheus(progress: Progress): Promise<PrometheusPrograms> {
  const otherwise = 'Otherwise leave out `--monitoring`.';
  return foundOrInstalled(findPrometheus, ['prometheus'], 'Prometheus', progress, otherwise);
}

/** Debian names it after Prometheus, everybody else does not. Only for tests: an operator has one, or another way to be told. @throws as needPrometheus */
export function needAlertmanager(progress: Progress): Promise<string> {
  const find = () => findProgram('prometheus-alertmanager') ?? findProgram('alertmanager');
  return foundOrInstalled(find, ['prometheus-alertmanager'], 'Alertmanager', progress);
}
