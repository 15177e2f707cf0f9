-- ARGV: prefix, now, key, expected version or nothing
local at, key = KEYS[1], ARGV[3]
if not there(at) then
  return { 'gone' }
end
local entry = read(at)
if ARGV[4] ~= '' and entry[2] ~= ARGV[4] then
  return { 'conflict', entry }
end
clear(at, key)
tell(key)
return { 'done', entry }
