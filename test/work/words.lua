-- SPDX-License-Identifier: MIT
-- Words by frequency, sorted lines, coroutines, floating point: what scripts do.
-- words.lua [ROUNDS]; ends with status 3.
local seed = 1
local function draw(n)
	seed = (seed * 1103515245 + 12345) % 2147483648
	return seed // 65536 % n
end

local function text(words)
	local t = {}
	for i = 1, words do
		t[i] = string.format("w%d%s", draw(500), draw(7) == 0 and ".\n" or " ")
	end
	return table.concat(t)
end

local function frequencies(s)
	local count = {}
	for word in s:gmatch("%w+") do
		count[word] = (count[word] or 0) + 1
	end
	local names = {}
	for word in pairs(count) do
		names[#names + 1] = word
	end
	table.sort(names, function(a, b)
		return count[a] > count[b] or count[a] == count[b] and a < b
	end)
	return names[1], count[names[1]]
end

local function numbers(n)
	return coroutine.wrap(function()
		for i = 1, n do
			coroutine.yield(math.sin(i) * draw(1000))
		end
	end)
end

for round = 1, tonumber(arg[1]) or 60 do
	local s = text(60000)
	local word, count = frequencies(s)
	local sum = 0
	for x in numbers(60000) do
		sum = sum + x
	end
	print(round, word, count, string.format("%.6f", sum), #s:gsub("w1", "one"):upper())
end
os.exit(3)
