export interface QuickstartFacts {
  readonly publicUrl: string;
  readonly folder: string;
  readonly clientId: string;
  readonly userName: string;
  /** Known on the first start only. */
  readonly password: string | undefined;
}

/** What `npm start` says: commands that work when pasted, and what to change before anyone relies on it. */
export function quickstartWords({ publicUrl, folder, clientId, userName, password }: QuickstartFacts): string {
  const base = `${publicUrl}/authsvc`;
  const curl = `curl --silent --show-error --cacert '${folder}/authority.crt'`;
  const json = "--header 'Content-Type: application/json'";
  const body = (fields: string) => `--data '{"client_id":"${clientId}",${fields}}'`;
  const field = (name: string) => `$(node -pe 'JSON.parse(process.argv[1]).${name}' "$answer")`;
  const authorization = `--header "Authorization: Bearer ${field('access_token')}"`;
  return `
Tessera is ready at ${publicUrl}

Paste these into another terminal, one after the other.

  # 1. a token, by client certificate
  answer=$(${curl} --cert '${folder}/client.crt' --key '${folder}/client.key' ${json} ${body('"scope":"orders:read"')} ${base}/Authorize/Certificate); echo "$answer"

  # 2. verify it
  ${curl} ${authorization} ${base}/Authorize/Verify; echo

  # 3. refresh it
  answer=$(${curl} ${json} --data '{"client_id":"${clientId}","refresh_token":"'"${field('refresh_token')}"'"}' ${base}/Authorize/Token); echo "$answer"

  # 4. revoke it: the whole grant ends
  ${curl} ${authorization} ${base}/Revoke/Token; echo

  # 5. device authorization: open verification_uri_complete in a browser and confirm
  device=$(${curl} ${json} ${body('"scope":"orders:read"')} ${base}/Authorize/Device); echo "$device"

  # 6. then redeem the device code, once
  answer=$(${curl} ${json} --data '{"client_id":"${clientId}","grant_type":"urn:ietf:params:oauth:grant-type:device_code","device_code":"'"$(node -pe 'JSON.parse(process.argv[1]).device_code' "$device")"'"}' ${base}/Authorize/Token); echo "$answer"

Sign in as ${userName}, ${password ? `password ${password} (shown this once)` : `with the password that the first start showed; a new one: npm run tessera -- identity set-password ${userName}`}

THIS IS FOR TRYING. The authority's key lies beside the data, the certificates are for localhost, the identity is made up.
For production: tessera init. Everything made here is in ${folder}; delete that folder to begin again.

`;
}
