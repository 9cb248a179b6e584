import { join } from 'node:path';
import { makePrivateDirectory } from '../files/make-directory.ts';
import { writePrivate } from '../files/private-file.ts';
import { REPOSITORY, type ServiceName } from '../layout.ts';
import { Child } from '../processes/child.ts';
import { type OwnServer, type ServerKind, serverEnvironment, startServer } from '../servers/server.ts';

const HOST = '127.0.0.1';
const START_TIMEOUT_MS = 30_000;
const SCRAPE_EVERY_S = 5;
const RULES = join(REPOSITORY, 'deploy', 'monitoring', 'rules.yaml');
/** One machine keeps little: this is for looking, not for the record. */
const RETENTION = '3d';

/** A process whose metrics are collected. */
export interface Target {
  readonly service: ServiceName;
  readonly opsUrl: string;
}

export interface PrometheusServer extends OwnServer {
  /** After a process was restarted, on another port. */
  collectFrom(targets: readonly Target[]): void;
}

/**
 * Prometheus with the rules of `deploy/monitoring`. It notices changes of the targets' file by itself.
 * @param alertmanagers `host:port` of each
 */
export async function startPrometheus(
  program: string,
  dataDir: string,
  logFile: string,
  targets: readonly Target[],
  alertmanagers: readonly string[] = [],
): Promise<PrometheusServer> {
  makePrivateDirectory(dataDir);
  const targetsFile = join(dataDir, 'targets.json');
  const collectFrom = (current: readonly Target[]) => writePrivate(targetsFile, targetGroups(current));
  collectFrom(targets);
  const server = await startServer(prometheusKind(program, dataDir, logFile, targetsFile, alertmanagers));
  return { ...server, collectFrom };
}

function prometheusKind(
  program: string,
  dataDir: string,
  logFile: string,
  targetsFile: string,
  alertmanagers: readonly string[],
): ServerKind {
  const configFile = join(dataDir, 'prometheus.json');
  return {
    name: 'Prometheus',
    pidFile: join(dataDir, 'pid'),
    startTimeoutMs: START_TIMEOUT_MS,
    url: (port) => `http://${HOST}:${port}`,
    async probe(port) {
      const response = await fetch(`http://${HOST}:${port}/-/ready`);
      if (!response.ok) throw new Error(await response.text());
    },
    async launch(port) {
      // JSON is YAML.
      writePrivate(configFile, JSON.stringify(configuration(targetsFile, alertmanagers), undefined, 2));
      return await Child.start({
        name: 'Prometheus',
        command: program,
        args: [
          `--config.file=${configFile}`,
          `--storage.tsdb.path=${join(dataDir, 'data')}`,
          `--storage.tsdb.retention.time=${RETENTION}`,
          `--web.listen-address=${HOST}:${port}`,
          '--log.level=warn',
        ],
        cwd: dataDir,
        logFile,
        env: serverEnvironment(),
      });
    },
  };
}

function configuration(targetsFile: string, alertmanagers: readonly string[]): object {
  return {
    global: { scrape_interval: `${SCRAPE_EVERY_S}s`, evaluation_interval: `${SCRAPE_EVERY_S}s` },
    rule_files: [RULES],
    scrape_configs: [
      {
        // Replaced by each target's own (targetGroups).
        job_name: 'worktrack',
        file_sd_configs: [{ files: [targetsFile], refresh_interval: `${SCRAPE_EVERY_S}s` }],
      },
    ],
    ...(alertmanagers.length > 0 && {
      alerting: { alertmanagers: [{ static_configs: [{ targets: alertmanagers }] }] },
    }),
  };
}

function targetGroups(targets: readonly Target[]): string {
  return JSON.stringify(
    targets.map(({ service, opsUrl }) => ({
      targets: [new URL(opsUrl).host],
      labels: { job: `worktrack-${service}` },
    })),
  );
}
