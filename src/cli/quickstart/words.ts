import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { TESSERA } from '../terminal/output.ts';
import { type FlowFacts, flowWords } from './flows.ts';

const CURL_MISSING = ' The scripts need curl, which is missing: apt-get install curl.';

function hasCurl(): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, 'curl')));
}

export interface QuickstartFacts extends FlowFacts {
  readonly userName: string;
}

/** What the quick start prints: commands to paste, and a warning that this is a trial. */
export function quickstartWords(facts: QuickstartFacts, made: MadeSecrets | undefined): string {
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
For production: ${TESSERA} init --data-folder FOLDER. To begin again, stop this and delete ${folder}.

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
