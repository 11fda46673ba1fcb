// The process that is killed: callers that refresh as fast as they can. For each change it prints when it was requested and when
// it was acknowledged.
import { openSqliteStore } from '../../../src/store/sqlite/open.ts';
import { systemClock } from '../../../src/system.ts';
import { Keyring } from '../../../src/tokens/keyring.ts';
import { readKeyringFile } from '../../../src/tokens/keyring-file.ts';
import { accepted, anotherNode, issue, type Node, refresh } from '../../../test/node.ts';
import { tell } from '../tell.ts';

/** Milliseconds. Without `ackedAt`: requested. */
export interface Told {
  readonly caller: string;
  readonly grantId?: string;
  readonly generation: number;
  readonly askedAt: number;
  readonly ackedAt?: number;
}

const CALLERS = 12;

const [path = '', keyringPath = ''] = process.argv.slice(2);
const store = await openSqliteStore({ path, clock: () => systemClock.now() });
const keyring = new Keyring(readKeyringFile(keyringPath) ?? []);
const node = await anotherNode(store, { keyring, clock: systemClock });
await Promise.all(Array.from({ length: CALLERS }, (_, n) => refreshForEver(node, `${process.pid}:${n}`)));

async function refreshForEver(on: Node, caller: string): Promise<void> {
  const now = systemClock.milliseconds;
  let askedAt = now();
  let pair = await issue(on);
  const { grantId } = pair;
  for (let generation = 0; ; generation++) {
    tell({ caller, grantId, generation, askedAt, ackedAt: now() } satisfies Told);
    askedAt = now();
    tell({ caller, grantId, generation: generation + 1, askedAt } satisfies Told);
    pair = accepted(await refresh(on, pair));
  }
}
