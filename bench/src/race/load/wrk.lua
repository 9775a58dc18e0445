-- Asks the bodies of a file, one a line, in turn. The words after `--`: the file, how answers are
-- checked (`unchecked`, `checked`), and how long their bodies may be (none: of any length).
--
-- Reading answers in Lua costs this program up to half as much CPU again as a request without it:
-- so what is measured is `unchecked`, and a load of its own before it `checked`.

local threads = {}

function setup(thread)
  thread:set("number", #threads)
  table.insert(threads, thread)
end

-- An answer is data without errors; those that list errors have them first or last.
local function is_answer(status, body)
  if status ~= 200 or body:sub(1, 9) ~= '{"data":{' then
    return false
  end
  if next(lengths) ~= nil then
    return lengths[#body] == true
  end
  return body:sub(-2) == "}}" and not body:find('"errors":[', 1, true)
end

function init(words)
  lengths = {}
  for place = 3, #words do
    lengths[tonumber(words[place])] = true
  end
  local headers = { ["Content-Type"] = "application/json", ["Accept"] = "application/json" }
  local requests = {}
  for body in io.lines(words[1]) do
    table.insert(requests, wrk.format("POST", nil, headers, body))
  end
  wrk.method = "POST"
  -- Each thread begins elsewhere, so that they do not ask the same at the same time.
  local place = number * 7919 % #requests
  function request()
    place = place % #requests + 1
    return requests[place]
  end
  refused = 0
  if words[2] == "checked" then
    function response(status, _, body)
      if not is_answer(status, body) then
        refused = refused + 1
      end
    end
  end
end

function done(summary, latency)
  local refused = 0
  for _, thread in ipairs(threads) do
    refused = refused + thread:get("refused")
  end
  local errors = summary.errors
  local figures = {
    "requests", summary.requests, "microseconds", summary.duration, "refused", refused,
    "status", errors.status, "connect", errors.connect, "read", errors.read,
    "write", errors.write, "timeout", errors.timeout,
    "p50", latency:percentile(50), "p90", latency:percentile(90), "p95", latency:percentile(95),
    "p99", latency:percentile(99), "max", latency.max,
  }
  local line = "figures:"
  for place = 1, #figures, 2 do
    line = line .. string.format(" %s=%.0f", figures[place], figures[place + 1])
  end
  io.write(line, "\n")
end
