import type { Tracing } from './types.ts';

/** Whether calls are traced. If not, nothing of OpenTelemetry is even loaded. */
export const isTracing = Boolean(process.env.OTEL_EXPORTER_OTLP_ENDPOINT) && process.env.OTEL_SDK_DISABLED !== 'true';

export let tracing: Tracing | undefined;

/** Before anything that is to be traced. By the standard variables `OTEL_*`; does nothing without `OTEL_EXPORTER_OTLP_ENDPOINT`. */
export async function startTracing(service: string): Promise<void> {
  if (!isTracing) return;
  const { startSdk } = await import('./sdk.ts');
  tracing = startSdk(`worktrack-${service}`);
}
