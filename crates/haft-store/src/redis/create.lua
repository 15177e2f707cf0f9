-- ARGV: prefix, now, key, value, total, idle, how many to free, whether there is an owner, owner
local at, key = KEYS[1], ARGV[3]
free(tonumber(ARGV[7]))
if there(at) then
  return { 'taken', read(at) }
end
clear(at, key)
local version = redis.call('INCR', prefix .. ':version')
local time = digits(now)
redis.call('HSET', at, 'value', ARGV[4], 'version', digits(version), 'created', time, 'changed', time)
if ARGV[8] == '1' then
  redis.call('HSET', at, 'owner', ARGV[9])
  redis.call('ZADD', owned(ARGV[9]), digits(version), key)
end
begin(at, key, ARGV[5], ARGV[6])
tell(key)
return { 'done', read(at) }
