-- SPDX-License-Identifier: MIT
-- Many short calls of many functions of lua's own: recursion, sorting with a comparison, strings and patterns.
-- An argument says how often.

local function ways(n)
	if n < 2 then
		return 1
	end
	return ways(n - 1) + ways(n - 2)
end

local function names(n)
	local list = {}
	for i = 1, n do
		list[i] = string.format("%x:%s", i * 7919 % 100003, tostring(i))
	end
	table.sort(list, function(a, b)
		return a < b
	end)
	return table.concat(list, ",")
end

local sum = 0
for _ = 1, tonumber(arg[1]) do
	sum = sum + ways(20)
	for word in names(8000):gmatch("%x+:") do
		sum = sum + #word:upper()
	end
end
print(sum)
