local prefix = ARGV[1]
local now = tonumber(ARGV[2])
if now < 0 then
  local time = redis.call('TIME')
  now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end

-- Numbers go out digit for digit: as a float they would lose some.
local function digits(number)
  return string.format('%.0f', number)
end

local FIELDS = { 'value', 'version', 'created', 'changed', 'expires', 'owner' }

local function read(at)
  return redis.call('HMGET', at, unpack(FIELDS))
end

-- Whether an entry is there, by the clock that counts.
local function there(at)
  local expires = redis.call('HGET', at, 'expires')
  if expires then
    return tonumber(expires) > now
  end
  return redis.call('EXISTS', at) == 1
end

local function owned(owner)
  return prefix .. ':o:' .. owner
end

-- When an entry ends that is used now.
local function used(ends, idle)
  local unused = idle and now + idle + math.floor(idle / 16)
  if ends and unused then
    return math.min(ends, unused)
  end
  return ends or unused
end

-- Writes when an entry ends, and has Redis see to it. The list that it is in lives as long as its longest-lived entry.
local function ending(at, key, expires)
  local owner = redis.call('HGET', at, 'owner')
  if not expires then
    redis.call('HDEL', at, 'expires')
    redis.call('PERSIST', at)
    if owner then
      redis.call('ZREM', prefix .. ':x', key)
    end
    return
  end
  redis.call('HSET', at, 'expires', digits(expires))
  redis.call('PEXPIRE', at, digits(math.max(1, expires - now)))
  if owner then
    redis.call('ZADD', prefix .. ':x', digits(expires), key)
    redis.call('HSET', prefix .. ':w', key, owner)
  end
end

-- Lifetimes as they come: milliseconds, or -1.
local function begin(at, key, total, idle)
  total, idle = tonumber(total), tonumber(idle)
  local ends = total >= 0 and now + total or nil
  idle = idle >= 0 and idle or nil
  redis.call('HDEL', at, 'ends', 'idle')
  if ends then
    redis.call('HSET', at, 'ends', digits(ends))
  end
  if idle then
    redis.call('HSET', at, 'idle', digits(idle))
  end
  ending(at, key, used(ends, idle))
end

-- A use of an entry, if it matters.
local function use(at, key, always)
  local ends, idle, expires = unpack(redis.call('HMGET', at, 'ends', 'idle', 'expires'))
  if not idle then
    return
  end
  ends, idle = ends and tonumber(ends) or nil, tonumber(idle)
  local least = now + idle
  if ends then
    least = math.min(ends, least)
  end
  if always or tonumber(expires) < least then
    ending(at, key, used(ends, idle))
  end
end

-- Takes a key out of its owner's list.
local function unlist(owner, key)
  redis.call('ZREM', owned(owner), key)
  redis.call('ZREM', prefix .. ':x', key)
  redis.call('HDEL', prefix .. ':w', key)
end

-- What an entry that has expired by the clock leaves behind.
local function clear(at, key)
  local owner = redis.call('HGET', at, 'owner') or redis.call('HGET', prefix .. ':w', key)
  redis.call('DEL', at)
  if owner then
    unlist(owner, key)
  end
end

-- Clears at most so many.
local function free(at_most)
  local keys = redis.call('ZRANGEBYSCORE', prefix .. ':x', '-inf', digits(now), 'LIMIT', 0, at_most)
  for _, key in ipairs(keys) do
    clear(prefix .. ':e:' .. key, key)
  end
  return #keys
end

local function tell(key)
  redis.call('PUBLISH', prefix .. ':changed', key)
end
