-- ARGV: prefix, now, key, whether this is a use
local at, key = KEYS[1], ARGV[3]
if not there(at) then
  return { 'gone' }
end
if ARGV[4] == '1' then
  use(at, key, false)
end
return { 'done', read(at) }
