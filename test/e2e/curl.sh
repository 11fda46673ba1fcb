#!/usr/bin/env bash
# From a client certificate to a revoked grant, with plain curl: what any caller does, one command per step.
#
#   BASE=https://localhost:8443 CA=data/authority.crt CERT=data/client.crt KEY=data/client.key test/e2e/curl.sh
#
# CLIENT_ID and SCOPE name the integration and what is asked of it. The device step waits for a person to confirm in a
# browser. The script prints each command's answer, checks it, and stops at the first that is not as it should be.
set -euo pipefail

: "${BASE:?the address of the service, such as https://localhost:8443}" "${CA:?the authority of its certificate, PEM}"
: "${CERT:?a client certificate, PEM}" "${KEY:?its key, PEM}"
CLIENT_ID=${CLIENT_ID:-orders-sync}
SCOPE=${SCOPE:-orders:read}
JSON='Content-Type: application/json'

say() { printf '\n# %s\n' "$*"; }
fail() { printf 'FAILED: %s\n' "$*" >&2; exit 1; }
# The value of one field of the last answer.
field() { sed -nE "s/.*\"$1\":(\"([^\"]*)\"|([0-9]+)).*/\2\3/p" <<<"$answer"; }
# Runs curl, prints status and body (tokens cut short: they are secrets), and checks the status.
ask() {
  local expected=$1; shift
  answer=$(curl --silent --show-error --cacert "$CA" --write-out '\n%{http_code}' "$@")
  status=${answer##*$'\n'}; answer=${answer%$'\n'*}
  printf '%s %s\n' "$status" "$(sed -E 's/"(ts[ard]_.{4})[^"]*"/"\1..."/g' <<<"$answer")"
  [ "$status" = "$expected" ] || fail "expected $expected, got $status"
}
# Checks a field of the last answer.
expect() { [ "$(field "$1")" = "$2" ] || fail "expected $1 to be $2, got $(field "$1")"; }

say 'a token by client certificate'
ask 200 --cert "$CERT" --key "$KEY" -H "$JSON" -d "{\"client_id\":\"$CLIENT_ID\",\"scope\":\"$SCOPE\"}" "$BASE/authsvc/Authorize/Certificate"
expect token_type Bearer
expect scope "$SCOPE"
access=$(field access_token) refresh=$(field refresh_token) identity=$(field identity)

say 'without the certificate there is none'
ask 401 -H "$JSON" -d "{\"client_id\":\"$CLIENT_ID\",\"scope\":\"$SCOPE\"}" "$BASE/authsvc/Authorize/Certificate"
expect Error invalid_client

say 'a refresh: a new pair for the refresh token'
ask 200 -H "$JSON" -d "{\"client_id\":\"$CLIENT_ID\",\"refresh_token\":\"$refresh\"}" "$BASE/authsvc/Authorize/Token"
[ "$(field refresh_token)" != "$refresh" ] || fail 'the refresh token did not change'
case $answer in *identity*) fail 'a refresh answer carries no identity' ;; esac
newer=$(field access_token)

say 'the answer was lost? asked again at once, the same pair comes back'
ask 200 -H "$JSON" -d "{\"client_id\":\"$CLIENT_ID\",\"refresh_token\":\"$refresh\"}" "$BASE/authsvc/Authorize/Token"
expect access_token "$newer"

say 'a resource server asks what the token allows'
ask 200 -H "Authorization: Bearer $newer" "$BASE/authsvc/Authorize/Verify"
expect application "$CLIENT_ID"
expect identity "$identity"

say 'a device authorization begins'
ask 200 -d "client_id=$CLIENT_ID" --data-urlencode "scope=$SCOPE" "$BASE/authsvc/Authorize/Device"
device=$(field device_code) interval=$(field interval)
printf 'open %s and enter %s\n' "$(field verification_uri)" "$(field user_code)"

say 'before the confirmation in the browser, there is no token'
redeem=(-d "client_id=$CLIENT_ID" -d 'grant_type=urn:ietf:params:oauth:grant-type:device_code' --data-urlencode "device_code=$device" "$BASE/authsvc/Authorize/Token")
ask 400 "${redeem[@]}"
expect Error authorization_pending

say "asking every $interval seconds until it is confirmed"
until answer=$(curl --silent --cacert "$CA" --fail "${redeem[@]}"); do sleep "$interval"; done
granted=$(field access_token)
printf 'confirmed\n'

say 'the device code works once only'
ask 400 "${redeem[@]}"
expect Error invalid_grant

say 'both grants are revoked'
for token in "$newer" "$granted"; do ask 200 -H "Authorization: Bearer $token" "$BASE/authsvc/Revoke/Token"; done

say 'after which no token of them works, of whatever generation'
for token in "$access" "$newer" "$granted"; do ask 401 -H "Authorization: Bearer $token" "$BASE/authsvc/Authorize/Verify"; done
expect Error invalid_token

say 'done'
