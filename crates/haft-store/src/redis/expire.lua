-- ARGV: prefix, now, how many
return { 'done', free(tonumber(ARGV[3])) }
