-- ARGV: prefix, now, key, expected version, value, whether there is a lifetime, total, idle
local at, key = KEYS[1], ARGV[3]
if not there(at) then
  return { 'gone' }
end
if redis.call('HGET', at, 'version') ~= ARGV[4] then
  return { 'conflict', read(at) }
end
local version = redis.call('INCR', prefix .. ':version')
redis.call('HSET', at, 'value', ARGV[5], 'version', digits(version), 'changed', digits(now))
if ARGV[6] == '1' then
  begin(at, key, ARGV[7], ARGV[8])
else
  use(at, key, true)
end
tell(key)
return { 'done', read(at) }
