import type { TokenPair } from '../../../src/operations/grant/token-pair.ts';
import type { BackEnd } from '../../../src/store/back-end.ts';
import { storeOf } from '../../../src/store/change.ts';
import { accepted, aNode, issue, refresh } from '../../../test/node.ts';

export interface Contestant {
  readonly name: string;
  /** Refreshes a second. */
  run(milliseconds: number): Promise<number>;
  /** Summary for the end. */
  stop(): Promise<string>;
}

const GRANTS_EACH = 20;

/** Callers that each refresh their own grants in turn, through the real operation. */
export async function refreshing(name: string, backEnd: BackEnd, callers: number): Promise<Contestant> {
  const node = await aNode(storeOf(backEnd));
  const pairs = await Promise.all(Array.from({ length: callers * GRANTS_EACH }, () => issue(node)));
  const latencies: number[] = [];
  const once = async (caller: number, turn: number) => {
    const index = caller * GRANTS_EACH + (turn % GRANTS_EACH);
    const began = performance.now();
    pairs[index] = accepted(await refresh(node, pairs[index] as TokenPair));
    latencies.push(performance.now() - began);
  };
  const stop = async () => {
    latencies.sort((a, b) => a - b);
    const at = (part: number) => latencies[Math.floor(latencies.length * part)]?.toFixed(1);
    return `${name} p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`;
  };
  return { name, run: (milliseconds) => rate(callers, milliseconds, once), stop };
}

/** Throughput of many callers in that time, each sequential. */
export async function rate(
  callers: number,
  milliseconds: number,
  once: (caller: number, turn: number) => Promise<void>,
): Promise<number> {
  const began = performance.now();
  const ends = began + milliseconds;
  let done = 0;
  await Promise.all(
    Array.from({ length: callers }, async (_, caller) => {
      for (let turn = 0; performance.now() < ends; turn++) {
        await once(caller, turn);
        done++;
      }
    }),
  );
  return (done * 1000) / (performance.now() - began);
}
