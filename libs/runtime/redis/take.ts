const TAKE = `
local holder = redis.call('GET', KEYS[1])
if not holder then redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2]) end
return holder
`;

/**
 * For EVAL: takes a key that is free. The answer is who held it before, or null if it is now `holder`'s. `SET … NX GET` does the same, but only since Redis 7:
 * Ubuntu 22.04 has 6.0.
 */
export const take = (key: string, holder: string, lastsMs: number) => [TAKE, 1, key, holder, lastsMs] as const;
