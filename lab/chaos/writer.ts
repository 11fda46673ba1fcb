// The process that is killed: callers that refresh and revoke as fast as they can, and print each acknowledgement.
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { systemClock } from '../../src/system.ts';
import { Keyring } from '../../src/tokens/keyring.ts';
import { readKeyringFile } from '../../src/tokens/keyring-file.ts';
import { accepted, anotherNode, issue, type Node, refresh, revoke } from '../../test/node.ts';
import { tell } from './tell.ts';

/** One line of output, written after the acknowledgement: everything the parent reads was acknowledged. */
export type Promised =
  | { readonly is: 'pair'; readonly grantId: string; readonly access: string; readonly refresh: string }
  | { readonly is: 'revoked'; readonly grantId: string };

const REFRESHING = 12;
const REVOKING = 4;

const [path = '', keyringPath = ''] = process.argv.slice(2);
const store = await openSqliteStore({ path, clock: () => systemClock.now() });
const keyring = new Keyring(readKeyringFile(keyringPath) ?? []);
const node = await anotherNode(store, { keyring, clock: systemClock });
const callers = [
  ...Array.from({ length: REFRESHING }, () => refreshForEver(node)),
  ...Array.from({ length: REVOKING }, () => revokeForEver(node)),
];
await Promise.all(callers);

function promise(line: Promised): void {
  tell(line);
}

function promisePair({ grantId, accessToken, refreshToken }: Awaited<ReturnType<typeof issue>>): void {
  promise({ is: 'pair', grantId, access: accessToken.reveal(), refresh: refreshToken?.reveal() ?? '' });
}

async function refreshForEver(on: Node): Promise<void> {
  let pair = await issue(on);
  for (;;) {
    promisePair(pair);
    pair = accepted(await refresh(on, pair));
  }
}

async function revokeForEver(on: Node): Promise<void> {
  for (;;) {
    const pair = await issue(on);
    promisePair(pair);
    accepted(await revoke(on, pair));
    promise({ is: 'revoked', grantId: pair.grantId });
  }
}
