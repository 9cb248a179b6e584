/**
 * One round trip that finds the source and counts the request.
 *
 * A window is a list of the times at which requests were admitted, newest first. A limit of N means that the N-th newest entry must be
 * older than the window. So it is exact for every window of that length, not only for aligned ones. Redis runs one script at a time and by
 * its own clock, so it stays exact however many gateways ask at once. Refused requests are not counted, so a persistent client is admitted
 * again as soon as its admitted requests expire. Each request adds at most one entry and removes up to TIDIED, so a list never
 * holds more than its limit plus what is about to be removed.
 *
 * KEYS: the source, then the windows: one per client, and for some requests one per source.
 * ARGV:
 * 1. the source's entry if the caller has just looked it up, else empty
 * 2. how long that entry may be kept, ms
 * 3. limit per client
 * 4. limit per source
 * 5. window in ms
 * 6. '1': the source's own limits, if any, replace these: the entry then begins with `perIp:perSource:windowMs|`
 *
 * Returns {0} if the source is unknown; else {1 admitted or 2 refused, entry, windowMs, then for each window: limit, remaining, resetMs, retryMs}
 */
export const ADMISSION_SCRIPT = `
local TIDIED = 16
local entry = ARGV[1]
if entry == '' then
  entry = redis.call('GET', KEYS[1])
  if not entry then return {0} end
elseif tonumber(ARGV[2]) > 0 then
  redis.call('SET', KEYS[1], entry, 'PX', ARGV[2])
end

local limits = {tonumber(ARGV[3]), tonumber(ARGV[4])}
local windowMs = tonumber(ARGV[5])
if ARGV[6] == '1' then
  local perIp, perSource, ownWindowMs = string.match(entry, '^(%d+):(%d+):(%d+)|')
  if perIp then
    limits = {tonumber(perIp), tonumber(perSource)}
    windowMs = tonumber(ownWindowMs)
  end
end

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local admitted = true
local counts, oldest, retries = {}, {}, {}
for i = 1, #KEYS - 1 do
  local key = KEYS[i + 1]
  local count = redis.call('LLEN', key)
  oldest[i] = now
  for _ = 1, TIDIED do
    if count == 0 then break end
    oldest[i] = tonumber(redis.call('LINDEX', key, -1))
    if oldest[i] > now - windowMs then break end
    redis.call('RPOP', key)
    count = count - 1
    oldest[i] = now
  end
  retries[i] = 0
  if count >= limits[i] then
    local nth = tonumber(redis.call('LINDEX', key, limits[i] - 1))
    if nth > now - windowMs then
      retries[i] = nth + windowMs - now
      admitted = false
    end
  end
  counts[i] = count
end

local answer = {admitted and 1 or 2, entry, windowMs}
for i = 1, #KEYS - 1 do
  if admitted then
    redis.call('LPUSH', KEYS[i + 1], now)
    redis.call('PEXPIRE', KEYS[i + 1], windowMs)
    counts[i] = counts[i] + 1
  end
  table.insert(answer, limits[i])
  table.insert(answer, math.max(0, limits[i] - counts[i]))
  table.insert(answer, math.max(0, oldest[i] + windowMs - now))
  table.insert(answer, retries[i])
end
return answer
`;
