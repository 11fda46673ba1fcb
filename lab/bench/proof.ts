// After a race of refreshes: every chain advanced, its last token works once more, a spent one does not, and the access tokens
// are of the kind that was meant.
import type { Config } from '../../src/config/schema.ts';
import { openKeyring } from '../../src/open-keyring.ts';
import { openStore } from '../../src/open-store.ts';
import { grants } from '../../src/store/tables/grants.ts';
import { Keyring } from '../../src/tokens/keyring.ts';
import { parseRefreshToken } from '../../src/tokens/opaque/token-text.ts';
import type { Load } from './generator/generator.ts';
import type { ChainForm, ChainReport } from './generator/walk.ts';

export interface Proof {
  readonly chains: number;
  readonly advanced: number;
  readonly refreshes: number;
  readonly lastWorks: number;
  readonly spentShown: number;
  readonly spentRefused: number;
}

/** `token`: `opaque`, or the algorithm of a JWT. */
export async function prove(load: Load, chains: readonly ChainReport[], token: string): Promise<Proof> {
  const [walk] = load.walks;
  if (walk?.kind !== 'chain') throw new Error('only refreshes are proved');
  const { form } = walk;
  for (const { accessToken } of chains)
    if (kindOf(accessToken) !== token) throw new Error(`an access token is ${kindOf(accessToken)}, not ${token}`);
  const statuses = async (tokens: readonly string[]) => {
    const all: number[] = [];
    for (const each of tokens) all.push(await refresh(load.port, form, each));
    return all;
  };
  // A spent token may end the chain, so the last ones go first.
  const last = await statuses(chains.map(({ refreshToken }) => refreshToken));
  const spent = await statuses(chains.flatMap((chain) => chain.spent));
  return {
    chains: chains.length,
    advanced: chains.filter(({ rotations }) => rotations > 0).length,
    refreshes: chains.reduce((sum, { rotations }) => sum + rotations, 0),
    lastWorks: last.filter((status) => status === 200).length,
    spentShown: spent.length,
    spentRefused: spent.filter((status) => status >= 400 && status < 500).length,
  };
}

export function isProved({ chains, advanced, lastWorks, spentShown, spentRefused }: Proof): boolean {
  return chains > 0 && advanced === chains && lastWorks === chains && spentShown > 0 && spentRefused === spentShown;
}

/** The sum of generations in the store of Tessera. */
export async function storedRotations(config: Config, chains: readonly ChainReport[]): Promise<number> {
  const store = await openStore(config, 'command');
  const keyring = new Keyring(await openKeyring(config, store));
  let sum = 0;
  for (const { refreshToken } of chains) {
    const { found } = await store.load(grants, parseRefreshToken(refreshToken, keyring)?.grantId ?? '');
    sum += found?.row.pair.generation ?? Number.NaN;
  }
  await store.close();
  return sum;
}

async function refresh(port: number, { head, before, after }: ChainForm, token: string): Promise<number> {
  const [, path = ''] = head.split(' ');
  const [, type = ''] = /Content-Type: (\S+)/.exec(head) ?? [];
  const body = `${before}${token}${after}`;
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { 'content-type': type },
    body,
  });
  await response.arrayBuffer();
  return response.status;
}

function kindOf(token: string): string {
  const [header = '', ...rest] = token.split('.');
  if (rest.length !== 2) return 'opaque';
  return (JSON.parse(Buffer.from(header, 'base64url').toString()) as { alg: string }).alg;
}
