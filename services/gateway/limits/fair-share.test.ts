import { OperationError } from '@worktrack/contracts/errors';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { FairShare, type FairShareLimits, type Slot } from './fair-share.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** Calls that end when the test says so, each identified by its name. */
function calls(limits: Partial<FairShareLimits>) {
  const share = new FairShare({ perOrganization: 100, perKey: 100, besideOthers: 100, atOnce: 100, ...limits });
  const begun: string[] = [];
  const refused: string[] = [];
  const places = new Map<string, Slot>();
  return {
    begun,
    refused,
    async arrive(name: string, organization: string, key = organization, bytes = 0, client?: AbortController) {
      const whenGone = (abandon: () => void) => {
        client?.signal.addEventListener('abort', abandon);
        return () => client?.signal.removeEventListener('abort', abandon);
      };
      share.enter(organization, key, bytes, whenGone).then(
        (place) => {
          begun.push(name);
          places.set(name, place);
        },
        (error) => {
          expect(error).toBeInstanceOf(OperationError);
          expect(error).toMatchObject({ code: 'RATE_LIMITED', extra: { retryAfterSeconds: 1 } });
          refused.push(name);
        },
      );
      await settled();
    },
    async end(...names: string[]) {
      for (const name of names) places.get(name)?.leave();
      await settled();
    },
  };
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
}

describe('of the calls in progress at once', () => {
  test('an organization has no more than its share, a key no more than its own, and both wait in the order of arrival', async () => {
    const { begun, arrive, end } = calls({ perOrganization: 3, perKey: 2 });
    for (const name of ['a1', 'a2', 'a3', 'a4']) await arrive(name, 'one', 'a');
    expect(begun).toEqual(['a1', 'a2']);
    for (const name of ['b1', 'b2']) await arrive(name, 'one', 'b');
    expect(begun).toEqual(['a1', 'a2', 'b1']);
    await end('a1');
    expect(begun).toEqual(['a1', 'a2', 'b1', 'a3']);
    await end('a2');
    // It is the other key's turn.
    expect(begun.at(-1)).toBe('b2');
    await end('b1');
    expect(begun.at(-1)).toBe('a4');
    expect(begun).toHaveLength(6);
  });

  test('another organization is not kept waiting by one that exceeds its share', async () => {
    const { begun, arrive } = calls({ perOrganization: 2 });
    for (let number = 0; number < 50; number++) await arrive(`a${number}`, 'one');
    await arrive('b', 'two');
    expect(begun).toEqual(['a0', 'a1', 'b']);
  });

  test('when all places are taken, waiting organizations are served in turn, however many calls one has', async () => {
    const { begun, arrive, end } = calls({ atOnce: 1 });
    for (let number = 0; number < 5; number++) await arrive(`a${number}`, 'one');
    for (let number = 0; number < 2; number++) await arrive(`b${number}`, 'two');
    await arrive('c0', 'three');
    for (let number = 0; number < 7; number++) await end(begun.at(-1) as string);
    expect(begun).toEqual(['a0', 'a1', 'b0', 'c0', 'a2', 'b1', 'a3', 'a4']);
  });

  test('while another organization is active the share is smaller, and as before once it has not called for 10 s', async () => {
    const { begun, arrive, end } = calls({ perOrganization: 3, besideOthers: 1 });
    await arrive('b1', 'two');
    await end('b1');
    for (let number = 1; number <= 4; number++) await arrive(`a${number}`, 'one');
    expect(begun).toEqual(['b1', 'a1']);
    await vi.advanceTimersByTimeAsync(4_000);
    await end('a1');
    expect(begun).toEqual(['b1', 'a1', 'a2']);
    await vi.advanceTimersByTimeAsync(7_000);
    for (let number = 5; number <= 7; number++) await arrive(`a${number}`, 'one');
    expect(begun).toEqual(['b1', 'a1', 'a2', 'a5', 'a6']);
  });

  test('a share that has grown is used by those already waiting, and not only by newcomers', async () => {
    const { begun, arrive, end } = calls({ perOrganization: 3, besideOthers: 1 });
    await arrive('b1', 'two');
    await end('b1');
    await arrive('a1', 'one');
    await vi.advanceTimersByTimeAsync(7_000);
    for (let number = 2; number <= 5; number++) await arrive(`a${number}`, 'one');
    expect(begun).toEqual(['b1', 'a1']);
    await vi.advanceTimersByTimeAsync(4_000);
    await end('a1');
    expect(begun).toEqual(['b1', 'a1', 'a2', 'a3', 'a4']);
  });

  test('a place that is given back twice counts once', async () => {
    const { begun, arrive, end } = calls({ perOrganization: 1 });
    for (const name of ['a1', 'a2', 'a3']) await arrive(name, 'one');
    await end('a1', 'a1', 'a1');
    expect(begun).toEqual(['a1', 'a2']);
  });
});

describe('of the waiting calls', () => {
  test('one is refused after 5 s, and those before and after it are not', async () => {
    const { begun, refused, arrive, end } = calls({ perOrganization: 1 });
    await arrive('a1', 'one');
    await arrive('a2', 'one');
    await vi.advanceTimersByTimeAsync(3_000);
    await arrive('a3', 'one');
    await vi.advanceTimersByTimeAsync(1_999);
    expect(refused).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(refused).toEqual(['a2']);
    await end('a1');
    expect(begun).toEqual(['a1', 'a3']);
    await end('a3');
    await vi.advanceTimersByTimeAsync(10_000);
    expect(refused).toEqual(['a2']);
  });

  test('one whose client has gone is never started', async () => {
    const { begun, arrive, end } = calls({ perOrganization: 1 });
    const client = new AbortController();
    await arrive('a1', 'one');
    await arrive('a2', 'one', 'one', 0, client);
    await arrive('a3', 'one');
    client.abort();
    await end('a1');
    expect(begun).toEqual(['a1', 'a3']);
  });

  test('no more than 1 000 wait per organization, nor more than 64 MiB of them', async () => {
    const { refused, arrive } = calls({ perOrganization: 1 });
    for (let number = 0; number <= 1_000; number++) await arrive(`a${number}`, 'one');
    expect(refused).toEqual([]);
    await arrive('one too many', 'one');
    expect(refused).toEqual(['one too many']);
    for (let number = 0; number <= 64; number++) await arrive(`b${number}`, 'two', 'two', 1024 * 1024);
    expect(refused).toHaveLength(1);
    await arrive('one byte too many', 'two', 'two', 1);
    expect(refused).toEqual(['one too many', 'one byte too many']);
  });
});
