// Checks with the server and its store after the run that the load was real.
import type { Config } from '../../src/config/schema.ts';
import { openKeyring } from '../../src/open-keyring.ts';
import { openStore } from '../../src/open-store.ts';
import { grants } from '../../src/store/tables/grants.ts';
import { Keyring } from '../../src/tokens/keyring.ts';
import { parseRefreshToken } from '../../src/tokens/opaque/token-text.ts';
import { CLIENT_ID } from './fill.ts';
import type { ChainReport } from './generator/walk.ts';

export interface Proof {
  readonly chains: number;
  /** Acknowledged rotations, and the sum of generations in the store. */
  readonly acknowledged: number;
  readonly stored: number;
  /** Chains whose last access token is accepted and whose last refresh token yields another pair. */
  readonly working: number;
  readonly spentShown: number;
  readonly spentRefused: number;
}

export async function prove(config: Config, chains: readonly ChainReport[]): Promise<Proof> {
  const origin = `http://127.0.0.1:${config.listeners[0]?.port}/authsvc`;
  const stored = await storedGenerations(config, chains);
  const walked = chains.filter(({ rotations }) => rotations > 0);
  const spent = walked.flatMap((chain) => chain.spent);
  // Spent tokens first, so that refreshing the last pair cannot affect their answers.
  const refused = await Promise.all(spent.map((token) => isRefused(origin, token)));
  const working = await Promise.all(walked.map((chain) => works(origin, chain)));
  return {
    chains: walked.length,
    acknowledged: chains.reduce((total, { rotations }) => total + rotations, 0),
    stored,
    working: working.filter(Boolean).length,
    spentShown: spent.length,
    spentRefused: refused.filter(Boolean).length,
  };
}

export function holds(proof: Proof): boolean {
  const { chains, acknowledged, stored, working, spentShown, spentRefused } = proof;
  return chains > 0 && acknowledged === stored && working === chains && spentShown > 0 && spentRefused === spentShown;
}

async function storedGenerations(config: Config, chains: readonly ChainReport[]): Promise<number> {
  const store = await openStore(config, 'command');
  const keyring = new Keyring(await openKeyring(config, store));
  let sum = 0;
  for (const { refreshToken } of chains) {
    const token = parseRefreshToken(refreshToken, keyring);
    const { found } = await store.load(grants, token?.grantId ?? '');
    sum += found?.row.pair.generation ?? Number.NaN;
  }
  await store.close();
  return sum;
}

async function works(origin: string, { accessToken, refreshToken }: ChainReport): Promise<boolean> {
  const headers = { authorization: `Bearer ${accessToken}` };
  const verified = await fetch(`${origin}/Authorize/Verify`, { headers });
  await verified.arrayBuffer();
  return verified.status === 200 && (await refresh(origin, refreshToken)) === 200;
}

async function isRefused(origin: string, token: string): Promise<boolean> {
  return (await refresh(origin, token)) === 400;
}

async function refresh(origin: string, token: string): Promise<number> {
  const answer = await fetch(`${origin}/Authorize/Token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_id: CLIENT_ID, refresh_token: token }),
  });
  await answer.arrayBuffer();
  return answer.status;
}
