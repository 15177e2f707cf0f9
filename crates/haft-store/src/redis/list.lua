-- ARGV: prefix, now, owner, the greatest score, how many
local list, most = KEYS[1], tonumber(ARGV[5])
local answer = { 'end', '0' }
local from, last, count = ARGV[4], nil, 0
while true do
  local found = redis.call('ZRANGE', list, from, '-inf', 'BYSCORE', 'REV', 'LIMIT', 0, most + 1, 'WITHSCORES')
  if #found == 0 then
    return answer
  end
  for i = 1, #found, 2 do
    local key, position = found[i], found[i + 1]
    local at = prefix .. ':e:' .. key
    if there(at) then
      if count == most then
        answer[1], answer[2] = 'more', digits(tonumber(last))
        return answer
      end
      answer[#answer + 1] = key
      answer[#answer + 1] = read(at)
      count = count + 1
      last = position
    end
    from = '(' .. position
  end
end
