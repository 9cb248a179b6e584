import type { Log } from '@worktrack/rpc/types';
import type { Tracing } from './types.ts';

/** Whether calls are traced. If not, nothing of OpenTelemetry is even loaded. */
export const isTracing = isWanted(process.env);

function isWanted({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SDK_DISABLED: disabled = '' }: NodeJS.ProcessEnv) {
  // https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/#boolean: in any case.
  return Boolean(endpoint) && disabled.toLowerCase() !== 'true';
}

export let tracing: Tracing | undefined;

/** Before anything that is to be traced. By the standard variables `OTEL_*`; does nothing without `OTEL_EXPORTER_OTLP_ENDPOINT`. */
export async function startTracing(service: string, log: Log): Promise<void> {
  if (!isTracing) return;
  const { startSdk } = await import('./sdk.ts');
  tracing = startSdk(`worktrack-${service}`, log);
}
