// A node that is killed: it begins as a service does, lets retry windows close, then refreshes until it dies.
// Each token is printed before it is sent: the answer to the last one is lost.
import { setTimeout as sleep } from 'node:timers/promises';
import type { TokenPair } from '../../src/operations/grant/token-pair.ts';
import { accepted, refresh } from '../../test/node.ts';
import { beginNode, LONGEST_WINDOW, openShifted, WINDOWS, windowGrant } from './restart-node.ts';
import { tell } from './tell.ts';

/** One line of output. `generation`: of the sent token. */
export interface Sent {
  readonly is: 'early' | 'last';
  readonly window: number;
  readonly grantId: string;
  readonly generation: number;
  readonly token: string;
}

const GRANTS = 3;

const [store = '', keyringPath = '', offset = '0'] = process.argv.slice(2);
const opened = await openShifted(store, keyringPath, Number(offset));
const keep = await beginNode(opened);
const { node } = opened;

async function send(is: Sent['is'], window: number, pair: TokenPair, generation: number): Promise<TokenPair> {
  const token = pair.refreshToken?.reveal() ?? '';
  tell({ is, window, grantId: pair.grantId, generation, token } satisfies Sent);
  return accepted(await refresh(node, pair, { clientId: `window-${window}` }));
}

for (const window of WINDOWS) await send('early', window, await windowGrant(node, window), 0);
opened.shift.seconds += LONGEST_WINDOW + 1;
await keep();

async function refreshForEver(window: number): Promise<void> {
  let pair = await windowGrant(node, window);
  for (let generation = 0; ; generation++) {
    pair = await send('last', window, pair, generation);
    await sleep(5);
  }
}

await Promise.all(WINDOWS.flatMap((window) => Array.from({ length: GRANTS }, () => refreshForEver(window))));
