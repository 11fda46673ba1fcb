#!/bin/sh
# Calls an API with a token that a person confirms in a browser. Needs nothing but curl and sed.
set -eu
: "${TESSERA_SERVER:?the address of the service}" "${TESSERA_CLIENT_ID:?the integration}" "${API:?what to call}"

# The value of a field of a JSON answer: field NAME ANSWER
field() { printf '%s' "$2" | sed -nE "s/.*\"$1\":(\"([^\"]*)\"|([0-9]+)).*/\2\3/p"; }
# post URL NAME=VALUE …: tokens go through standard input, because every user can read command lines.
post() {
  url=$1; shift
  printf 'data-urlencode = "%s"\n' "client_id=$TESSERA_CLIENT_ID" "$@" | curl --silent --show-error --config - "$url"
}

metadata=$(curl --silent --show-error --fail "$TESSERA_SERVER/.well-known/oauth-authorization-server")
started=$(post "$(field device_authorization_endpoint "$metadata")" scope=orders:read)
echo "Open $(field verification_uri "$started") and enter $(field user_code "$started")" >&2

interval=$(field interval "$started")
while :; do
  sleep "$interval"
  answer=$(post "$(field token_endpoint "$metadata")" "device_code=$(field device_code "$started")" \
    grant_type=urn:ietf:params:oauth:grant-type:device_code)
  case $(field error "$answer") in
    '') break ;;
    authorization_pending) ;;
    slow_down) interval=$((interval + 5)) ;;
    *) field error_description "$answer" >&2; exit 1 ;;
  esac
done
token=$(field access_token "$answer")

printf 'header = "Authorization: Bearer %s"\n' "$token" | curl --silent --show-error --fail --config - "$API"
# The work is done: end the grant.
post "$(field revocation_endpoint "$metadata")" "token=$token" >/dev/null
