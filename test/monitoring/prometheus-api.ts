/** Prometheus's HTTP API (https://prometheus.io/docs/prometheus/latest/querying/api/). */
export class PrometheusApi {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  /** @returns the series of an instant vector. @throws what is wrong with the query */
  async query(expression: string): Promise<readonly { metric: Record<string, string>; value: [number, string] }[]> {
    const { result } = await this.#get<{ result: [] }>(`query?${new URLSearchParams({ query: expression })}`);
    return result;
  }

  /** Of everything that was collected since it started. */
  metricNames(): Promise<readonly string[]> {
    return this.#get('label/__name__/values');
  }

  /** Firing, each with its labels. */
  async firing(): Promise<readonly Record<string, string>[]> {
    const { alerts } = await this.#get<{ alerts: { state: string; labels: Record<string, string> }[] }>('alerts');
    return alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels);
  }

  async #get<Data>(path: string): Promise<Data> {
    const response = await fetch(`${this.#url}/api/v1/${path}`);
    const body = (await response.json()) as { status: string; data: Data; error?: string };
    if (body.status !== 'success') throw new Error(`${path}: ${body.error}`);
    return body.data;
  }
}
