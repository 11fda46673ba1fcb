import { TESSERA } from '../terminal/called.ts';

export interface QuickstartFacts {
  readonly publicUrl: string;
  /** The path of the authsvc door. */
  readonly mount: string;
  /** The path of the oauth door; undefined if it is off. */
  readonly oauthMount: string | undefined;
  readonly folder: string;
  readonly clientId: string;
  /** The integration whose access tokens are JWTs. */
  readonly jwtClientId: string;
  readonly userName: string;
}

function curlOf(folder: string): string {
  return `curl --silent --show-error --cacert '${folder}/authority.crt'`;
}

function field(name: string): string {
  return `$(node -pe 'JSON.parse(process.argv[1]).${name}' "$answer")`;
}

/** Node verifies a signature in one line; it finds the key by the `kid` of the header. */
const CHECK = `node -e '
    const [head, claims, signature] = process.argv[1].split("."), text = (part) => Buffer.from(part, "base64url");
    const key = JSON.parse(fs.readFileSync(0)).keys.find(({ kid }) => kid === JSON.parse(text(head)).kid);
    const by = { key, format: "jwk", dsaEncoding: "ieee-p1363" };
    console.log(require("crypto").verify("sha256", Buffer.from(head + "." + claims), by, text(signature)), String(text(claims)));'`;

/** The same first token through the standard door, and a JWT. */
function standardDoor({ publicUrl, oauthMount, folder, clientId, jwtClientId }: QuickstartFacts): string {
  if (oauthMount === undefined) return '';
  const curl = curlOf(folder);
  const own = `--cert '${folder}/client.crt' --key '${folder}/client.key'`;
  const base = `${publicUrl}${oauthMount}`;
  const obtain = (id: string) =>
    `answer=$(${curl} ${own} --data 'grant_type=client_credentials&client_id=${id}&scope=orders:read' ${base}/token); echo "$answer"`;
  return `
  # 7. the same first token as any OAuth library gets it
  ${obtain(clientId)}

  # 8. one that is a JWT
  ${obtain(jwtClientId)}

  # 9. an API checks a JWT by itself, with nothing but the public keys
  ${curl} ${base}/jwks | ${CHECK} "${field('access_token')}"
`;
}

/** What the quick start prints: commands to paste, and a warning that this is a trial. */
export function quickstartWords(facts: QuickstartFacts): string {
  const { publicUrl, mount, folder, clientId, userName } = facts;
  const base = `${publicUrl}${mount}`;
  const curl = curlOf(folder);
  const json = "--header 'Content-Type: application/json'";
  const body = (fields: string) => `--data '{"client_id":"${clientId}",${fields}}'`;
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
${standardDoor(facts)}
Sign in as ${userName} with the password that the first start showed; a new one: ${TESSERA} identity set-password ${userName}
The browser will warn, since it does not know ${folder}/authority.crt: go on, or import it there.
What else there is: ${publicUrl}/docs and ${publicUrl}/account

THIS IS FOR TRYING. The authority's key lies beside the data, the certificates are for localhost, the identity is made up.
For production: ${TESSERA} init, in another folder. To begin again, stop this and delete ${folder}.

`;
}
