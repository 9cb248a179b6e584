import type { RateLimit } from '@worktrack/contracts/feedback/records';
import { Check } from '../../parts/form/check.tsx';
import { NumberField } from '../../parts/form/field.tsx';
import { words } from './messages.ts';

/** As they are typed. */
type Typed = Readonly<Record<keyof RateLimit, string>>;

const MAX: Readonly<RateLimit> = { perIp: 1_000_000, perSource: 1_000_000, windowSeconds: 86_400 };
const FIELDS = ['perIp', 'perSource', 'windowSeconds'] as const;
/** To begin with: what the service allows by default. */
const SUGGESTED: Typed = { perIp: '10', perSource: '600', windowSeconds: '60' };

export function typed({ perIp, perSource, windowSeconds }: RateLimit): Typed {
  return { perIp: String(perIp), perSource: String(perSource), windowSeconds: String(windowSeconds) };
}

export function rateLimitOf({ perIp, perSource, windowSeconds }: Typed): RateLimit {
  return { perIp: Number(perIp), perSource: Number(perSource), windowSeconds: Number(windowSeconds) };
}

interface RateLimitChoiceProps {
  /** `undefined`: the service's own limits. */
  readonly limit: Typed | undefined;
  readonly onChoose: (limit: Typed | undefined) => void;
}

export function RateLimitChoice({ limit, onChoose }: RateLimitChoiceProps) {
  return (
    <fieldset class="field">
      <legend class="label">{words.rateLimit}</legend>
      <div>
        <Check
          label={words.ownRateLimit}
          checked={limit !== undefined}
          onChange={(checked) => onChoose(checked ? SUGGESTED : undefined)}
        />
      </div>
      {limit && (
        <div class="row">
          {FIELDS.map((name) => (
            <NumberField
              key={name}
              label={words[name]}
              required
              min={1}
              max={MAX[name]}
              value={limit[name]}
              onChange={(text) => onChoose({ ...limit, [name]: text })}
            />
          ))}
        </div>
      )}
    </fieldset>
  );
}
