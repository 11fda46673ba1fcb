export interface QuickstartFacts {
  readonly publicUrl: string;
  readonly folder: string;
  readonly clientId: string;
  readonly userName: string;
}

/** What `npm start` prints: commands to paste, and a warning that this is a trial. */
export function quickstartWords({ publicUrl, folder, clientId, userName }: QuickstartFacts): string {
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

Sign in as ${userName} with the password that the first start showed; a new one: npm run tessera -- identity set-password ${userName}
The browser will warn, since it does not know ${folder}/authority.crt: go on, or import it there.
What else there is: ${publicUrl}/docs and ${publicUrl}/account

THIS IS FOR TRYING. The authority's key lies beside the data, the certificates are for localhost, the identity is made up.
For production: npm run tessera -- init, in another folder. To begin again, stop this and delete ${folder}.

`;
}
