/** OpenTelemetry's default is all; of calls that are neither failed nor slow, one in a hundred tells enough. */
const DEFAULT_RATIO = 0.01;

/** Whether a trace that begins here is sampled; `parent`: a trusted caller's decision about it. */
export type Sampler = (traceId: string, parent: boolean | undefined) => boolean;

/** By `OTEL_TRACES_SAMPLER` and `OTEL_TRACES_SAMPLER_ARG`. @throws Error for a name or ratio that is none */
export function samplerOf(env: NodeJS.ProcessEnv): Sampler {
  const name = env.OTEL_TRACES_SAMPLER || 'parentbased_traceidratio';
  const given = env.OTEL_TRACES_SAMPLER_ARG;
  const ratio = given ? Number(given) : DEFAULT_RATIO;
  if (!(ratio >= 0 && ratio <= 1)) throw new Error(`OTEL_TRACES_SAMPLER_ARG: must be from 0 to 1, and is ${given}.`);
  const [, prefix = '', kind = ''] = /^(parentbased_)?(always_on|always_off|traceidratio)$/.exec(name) ?? [];
  if (!kind) throw new Error(`OTEL_TRACES_SAMPLER: ${name} is not one of the standard samplers.`);
  const root = (traceId: string) => (kind === 'traceidratio' ? isBelow(traceId, ratio) : kind === 'always_on');
  return prefix ? (traceId, parent) => parent ?? root(traceId) : root;
}

/** By the last bytes, which are random (Trace Context, level 2), so that all who sample at the same ratio choose the same traces. */
function isBelow(traceId: string, ratio: number): boolean {
  return Number.parseInt(traceId.slice(20), 16) < ratio * 2 ** 48;
}
