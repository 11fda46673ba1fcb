-- For HAProxy: asks tessera guard about a request. What it refuses is answered here, and so is everything if it cannot be asked.
local GUARD = "http://127.0.0.1:9300/check"
local ASKED_WITH = { "authorization", "dpop", "x-request-id", "client-cert" }
local ANSWERED_WITH = { "content-type", "cache-control", "www-authenticate", "retry-after", "x-request-id" }
local REFUSALS = { [400] = true, [401] = true, [403] = true, [429] = true, [503] = true }

-- The values of a header, which HAProxy counts from 0.
local function lines(headers, name)
  local found = {}
  for _, value in pairs(headers[name] or {}) do
    table.insert(found, value)
  end
  return found
end

local function refuse(txn, status, headers, body)
  local reply = txn:reply({ status = status, body = body })
  for _, name in ipairs(ANSWERED_WITH) do
    for _, value in ipairs(lines(headers, name)) do
      reply:add_header(name, value)
    end
  end
  txn:done(reply)
end

core.register_action("tessera_guard", { "http-req" }, function(txn)
  local given = txn.http:req_get_headers()
  local asked = {
    ["x-forwarded-method"] = { txn.sf:method() },
    ["x-forwarded-host"] = lines(given, "host"),
    ["x-forwarded-uri"] = { txn.sf:pathq() },
  }
  for _, name in ipairs(ASKED_WITH) do
    asked[name] = lines(given, name)
  end
  local answer = core.httpclient():get({ url = GUARD, headers = asked, timeout = 15000 })
  if answer.status ~= 200 then
    local isRefusal = REFUSALS[answer.status]
    return refuse(txn, isRefusal and answer.status or 503, isRefusal and answer.headers or {}, answer.body or "")
  end
  for name, values in pairs(answer.headers) do
    if name:sub(1, 8) == "tessera-" then
      txn.http:req_set_header(name, values[0])
    end
  end
  txn:set_var("txn.tessera_guard", "allowed")
end, 0)
