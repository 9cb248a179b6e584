import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { Child } from '@worktrack/stack/processes/child';
import { type OwnServer, serverEnvironment, startServer } from '@worktrack/stack/servers/server';

const HOST = '127.0.0.1';
const START_TIMEOUT_MS = 30_000;

/** What somebody was told. */
export interface Notice {
  readonly atMs: number;
  readonly alert: string;
  readonly isPage: boolean;
  readonly isFiring: boolean;
}

/** Of Alertmanager's webhook (https://prometheus.io/docs/alerting/latest/configuration/#webhook_config). */
interface Notification {
  readonly alerts: readonly {
    readonly status: 'firing' | 'resolved';
    readonly fingerprint: string;
    readonly labels: { readonly alertname: string; readonly severity: string };
  }[];
}

/** The real Alertmanager, and the person whom it tells. */
export class Alertmanager {
  readonly notices: Notice[] = [];
  /** By fingerprint: an alert may fire for several classes of requests, or replicas. */
  readonly #firing = new Map<string, Notice>();
  readonly #receiver: Server;
  #server: OwnServer | undefined;

  private constructor() {
    this.#receiver = createServer(async (request, response) => {
      const { alerts } = (await json(request)) as Notification;
      for (const { status, fingerprint, labels } of alerts) {
        const isFiring = status === 'firing';
        // Each notification has all alerts of its group.
        if (this.#firing.has(fingerprint) === isFiring) continue;
        const { alertname: alert, severity } = labels;
        const notice = { atMs: Date.now(), alert, isPage: severity === 'page', isFiring };
        this.notices.push(notice);
        if (isFiring) this.#firing.set(fingerprint, notice);
        else this.#firing.delete(fingerprint);
      }
      response.end();
    });
  }

  static async start(program: string, folder: string): Promise<Alertmanager> {
    const alertmanager = new Alertmanager();
    const receiver = alertmanager.#receiver;
    await new Promise<void>((resolve) => receiver.listen(0, HOST, resolve));
    const url = `http://${HOST}:${(receiver.address() as AddressInfo).port}`;
    mkdirSync(folder, { recursive: true });
    const configFile = join(folder, 'alertmanager.json');
    const route = { receiver: 'test', group_by: ['alertname'], group_wait: '0s', group_interval: '1s' };
    const receivers = [{ name: 'test', webhook_configs: [{ url, send_resolved: true }] }];
    // JSON is YAML.
    writeFileSync(configFile, JSON.stringify({ route, receivers }));
    alertmanager.#server = await startServer({
      ...{ name: 'Alertmanager', pidFile: join(folder, 'pid'), startTimeoutMs: START_TIMEOUT_MS },
      url: (port) => `${HOST}:${port}`,
      async probe(port) {
        const response = await fetch(`http://${HOST}:${port}/-/ready`);
        if (!response.ok) throw new Error(await response.text());
      },
      launch: (port) =>
        Child.start({
          ...{ name: 'Alertmanager', command: program, cwd: folder, logFile: join(folder, 'log') },
          env: serverEnvironment(),
          args: [
            `--config.file=${configFile}`,
            `--storage.path=${join(folder, 'data')}`,
            `--web.listen-address=${HOST}:${port}`,
            // It is alone.
            '--cluster.listen-address=',
          ],
        }),
    });
    return alertmanager;
  }

  /** As `host:port`. */
  get address(): string {
    return this.#server?.url ?? '';
  }

  get firing(): readonly Notice[] {
    return [...this.#firing.values()];
  }

  async stop(): Promise<void> {
    await this.#server?.part.kill();
    this.#receiver.closeAllConnections();
    await new Promise((resolve) => this.#receiver.close(resolve));
  }
}
