// After a race of refreshes: every chain advanced, its last token works once more, a spent one does not, and the access tokens
// are of the kind that was meant.
import type { Load } from '../bench/generator/generator.ts';
import type { ChainForm, ChainReport } from '../bench/generator/walk.ts';
import type { Proof } from './data.ts';
import type { TokenKind } from './peer.ts';

export async function prove(load: Load, chains: readonly ChainReport[], token: TokenKind): Promise<Proof> {
  const [walk] = load.walks;
  if (walk?.kind !== 'chain') throw new Error('only refreshes are proved');
  for (const { accessToken } of chains)
    if (kindOf(accessToken) !== token) throw new Error(`an access token is ${kindOf(accessToken)}, not ${token}`);
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

  async function statuses(tokens: readonly string[]): Promise<number[]> {
    const all: number[] = [];
    for (const each of tokens) all.push(await refresh(load.port, (walk as { form: ChainForm }).form, each));
    return all;
  }
}

export function isProved({ chains, advanced, lastWorks, spentShown, spentRefused }: Proof): boolean {
  return chains > 0 && advanced === chains && lastWorks === chains && spentShown > 0 && spentRefused === spentShown;
}

async function refresh(port: number, { head, before, after }: ChainForm, token: string): Promise<number> {
  const [, path = ''] = head.split(' ');
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const body = `${before}${token}${after}`;
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers, body });
  await response.arrayBuffer();
  return response.status;
}

function kindOf(token: string): string {
  const [header = '', ...rest] = token.split('.');
  if (rest.length !== 2) return 'opaque';
  return (JSON.parse(Buffer.from(header, 'base64url').toString()) as { alg: string }).alg;
}
