// One small script per flow, saved in the data folder: short enough to read. What the quick start prints: how to run them, and more.
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join, relative } from 'node:path';
import { TESSERA } from '../terminal/output.ts';

interface FlowFacts {
  readonly publicUrl: string;
  /** The path of the authsvc door. */
  readonly mount: string;
  /** The path of the standard door; undefined if it is off. */
  readonly oauthMount: string | undefined;
  readonly folder: string;
  readonly clientId: string;
  /** The integration whose access tokens are JWTs. */
  readonly jwtClientId: string;
}

interface Flow {
  readonly name: string;
  readonly does: string;
  /** The lines after the common beginning. */
  readonly body: string;
}

const ANSWER = 'try/answer.json';
const DEVICE = 'try/device.json';
const CURL = 'curl --silent --show-error --cacert authority.crt';

function ownFlows({ publicUrl, mount, clientId }: FlowFacts): readonly Flow[] {
  const base = `${publicUrl}${mount}`;
  const curl = CURL;
  const json = "--header 'Content-Type: application/json'";
  // From standard input, so that no token is in the process list.
  const withToken = (address: string) => {
    const command = `printf 'Authorization: Bearer %s' "$access_token" |\n  ${curl} --header @- ${address}`;
    return `${needs('access_token', ANSWER)}${ask(command)}\ncase $answer in *'"Error"'*) exit 1 ;; esac`;
  };
  const body = (fields: string) => `printf '{"client_id":"${clientId}",${fields}}'`;
  const scope = `'{"client_id":"${clientId}","scope":"orders:read"}'`;
  return [
    {
      name: 'token',
      does: 'a token, by client certificate',
      body: keep(
        ANSWER,
        `${curl} --cert client.crt --key client.key \\\n  ${json} --data ${scope} \\\n  ${base}/Authorize/Certificate`,
      ),
    },
    { name: 'verify', does: 'verify it, as an API would', body: withToken(`${base}/Authorize/Verify`) },
    {
      name: 'refresh',
      does: 'refresh it: the next pair',
      body: `${needs('refresh_token', ANSWER)}${keep(
        ANSWER,
        `${body('"refresh_token":"%s"')} "$refresh_token" |\n  ${curl} ${json} --data @- \\\n  ${base}/Authorize/Token`,
      )}`,
    },
    { name: 'revoke', does: 'revoke it: the whole grant ends', body: withToken(`${base}/Revoke/Token`) },
    {
      name: 'device',
      does: 'device authorization: open the address in a browser and confirm',
      body: keep(DEVICE, `${curl} \\\n  ${json} --data ${scope} \\\n  ${base}/Authorize/Device`),
    },
    {
      name: 'redeem',
      does: 'then redeem the device code, once',
      body: `${needs('device_code', DEVICE)}${keep(
        ANSWER,
        `${body('"grant_type":"urn:ietf:params:oauth:grant-type:device_code","device_code":"%s"')} \\\n  "$device_code" |\n  ${curl} ${json} --data @- \\\n  ${base}/Authorize/Token`,
      )}`,
    },
  ];
}

/** Shows the response and keeps it in `file`. A refusal is only shown: the last good response stays. */
function keep(file: string, command: string): string {
  const store = `printf '%s\\n' "$answer" >${file}.new && mv ${file}.new ${file}`;
  return `${ask(command)}\ncase $answer in *'"expires_in"'*) ${store} ;; *) exit 1 ;; esac`;
}

function ask(command: string): string {
  return `answer=$(${command}) || exit 1\nprintf '%s\\n' "$answer"`;
}

/** A line that takes a field of an earlier response. Without it, the script ends and says which one to run first. */
function needs(field: string, file: string): string {
  return `${field}=$(field ${field} ${file}) || exit\n`;
}

const FIELD = `field() {
  sed -n 's/.*"'"$1"'":"\\([^"]*\\)".*/\\1/p' "$2" 2>/dev/null | grep . && return
  echo "$2 has no $1. Run \${0%/*}/$([ "$1" = device_code ] && echo device || echo token).sh first." >&2
  return 1
}
`;

/** Node verifies a signature by itself; it finds the key by the `kid` of the header. */
const CHECK = `node -e '
  const [head, claims, signature] = JSON.parse(fs.readFileSync("${ANSWER}")).access_token.split(".");
  const text = (part) => Buffer.from(part, "base64url");
  const key = JSON.parse(fs.readFileSync(0)).keys.find(({ kid }) => kid === JSON.parse(text(head)).kid);
  const by = { key, format: "jwk", dsaEncoding: "ieee-p1363" };
  const isGood = crypto.verify("sha256", Buffer.from(head + "." + claims), by, text(signature));
  console.log(isGood, String(text(claims)));
  process.exitCode = isGood ? 0 : 1;'`;

function standardFlows({ publicUrl, oauthMount, clientId, jwtClientId }: FlowFacts): readonly Flow[] {
  if (oauthMount === undefined) return [];
  const base = `${publicUrl}${oauthMount}`;
  const obtain = (id: string) =>
    keep(
      ANSWER,
      `${CURL} --cert client.crt --key client.key \\\n  --data 'grant_type=client_credentials&client_id=${id}&scope=orders:read' \\\n  ${base}/token`,
    );
  return [
    { name: 'oauth', does: 'the same first token as any OAuth library gets it', body: obtain(clientId) },
    { name: 'jwt', does: 'one that is a JWT', body: obtain(jwtClientId) },
    {
      name: 'check-jwt',
      does: 'an API checks a JWT by itself, with nothing but the public keys',
      body: `${needs('access_token', ANSWER)}case $access_token in *.*.*) ;; *) echo "${ANSWER} has no JWT. Run \${0%/*}/jwt.sh first." >&2; exit 1 ;; esac\nkeys=$(${CURL} --fail ${base}/jwks) || exit 1\nprintf '%s' "$keys" | ${CHECK}`,
    },
  ];
}

function flowsOf(facts: FlowFacts): readonly Flow[] {
  return [...ownFlows(facts), ...standardFlows(facts)];
}

function scriptOf({ does, body }: Flow): string {
  const field = body.includes('field ') ? FIELD : '';
  return `#!/bin/sh
# ${does[0]?.toUpperCase()}${does.slice(1)}. Written by the quick start.
cd "$(dirname "$0")/.." && umask 077
${field}
${body}
`;
}

/** Written at every start: the address may have changed. */
export function writeFlows(facts: FlowFacts): void {
  mkdirSync(join(facts.folder, 'try'), { recursive: true, mode: 0o700 });
  for (const flow of flowsOf(facts)) {
    const path = join(facts.folder, 'try', `${flow.name}.sh`);
    writeFileSync(path, scriptOf(flow));
    chmodSync(path, 0o700);
  }
}

/** The commands to run, and the first script as an example of what they do. */
function flowWords(facts: FlowFacts): string {
  const flows = flowsOf(facts);
  const folder = nearby(facts.folder);
  const commands = flows.map(({ name, does }, index) => {
    const command = join(folder, 'try', `${name}.sh`).padEnd(folder.length + 18);
    return `  ${command} # ${index + 1}. ${does}`;
  });
  const [first] = flows;
  return `${commands.join('\n')}

Each is a few lines of curl, to read and to copy. The first, which runs in ${folder}:

${(first?.body ?? '').replace(/^/gm, '  ')}`;
}

/** As short as possible: relative if it is below the current folder. */
function nearby(folder: string): string {
  const path = relative(process.cwd(), folder);
  return path.startsWith('..') ? folder : path;
}

const CURL_MISSING = ' The scripts need curl, which is missing: apt-get install curl.';

function hasCurl(): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, 'curl')));
}

/** What the quick start prints: commands to paste, and a warning that this is a trial. */
export function quickstartWords(
  facts: FlowFacts & { readonly userName: string },
  made: MadeSecrets | undefined,
): string {
  const { publicUrl, folder, userName } = facts;
  return `
Tessera is ready at ${publicUrl}

Run these in another terminal, one after the other.${hasCurl() ? '' : CURL_MISSING}

${flowWords(facts)}

The browser will warn, since it does not know ${folder}/authority.crt: go on, or import it there.
To change something in the console, add a passkey at ${publicUrl}/account/passkeys, with an invitation, and sign in with it.
From a terminal: ${TESSERA} login --server ${publicUrl} --client-id tessera-cli --scope tessera:manage --certificate ${folder}/client.crt --key ${folder}/client.key --ca ${folder}/authority.crt
Then, for example: ${TESSERA} grant list --server ${publicUrl}
What else there is: ${publicUrl}/docs and ${publicUrl}/account

THIS IS FOR TRYING. The authority's key lies beside the data, the certificates are for localhost, the identity is made up.
For production: ${TESSERA} init --data-folder FOLDER, and Caddy in front where the internet connects (docs/proxies.md). To begin again, stop this and delete ${folder}.

What is going on, and how to stop it: ${publicUrl}/console
User name: ${userName}
${made ? secretWords(userName, made) : againWords(userName)}
`;
}

/** Made by the first start. */
export interface MadeSecrets {
  readonly password: string;
  readonly invitation: string;
}

export function secretWords(userName: string, made: MadeSecrets | undefined): string {
  if (!made) return '';
  return `Password of ${userName}, shown this once: ${made.password}
Invitation to add a passkey, shown this once, good for a day: ${made.invitation}
`;
}

function againWords(userName: string): string {
  return `Password: as the first start showed it. A new one: ${TESSERA} identity set-password ${userName}
Another invitation to add a passkey: ${TESSERA} identity passkey invite ${userName}
`;
}
