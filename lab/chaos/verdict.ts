import { checkToken } from '../../src/operations/grant/check-token.ts';
import { refreshTokens } from '../../src/operations/grant/refresh-tokens.ts';
import { eventPages } from '../../src/store/pages.ts';
import type { Store } from '../../src/store/store.ts';
import { grants } from '../../src/store/tables/grants.ts';
import { answer, CURL, NOTHING_PRESENTED, type Node } from '../../test/node.ts';
import { CLIENT } from '../../test/samples.ts';
import type { Promised } from './writer.ts';

export interface Verdict {
  /** Number of acknowledged pairs and revocations. */
  readonly promised: number;
  readonly broken: readonly string[];
}

/** Checks that a reopened store has everything the killed process acknowledged. */
export async function verdict(promised: readonly Promised[], node: Node): Promise<Verdict> {
  const broken: string[] = [];
  const told = await refreshesTold(node.store);
  for (const [grantId, promises] of Map.groupBy(promised, ({ grantId }) => grantId)) {
    const generation = (await node.store.load(grants, grantId)).found?.row.pair.generation;
    if (generation !== (told.get(grantId) ?? 0))
      broken.push(`${grantId}: generation ${generation}, told ${told.get(grantId)}`);
    broken.push(...(await brokenPromises(grantId, promises, node)));
  }
  return { promised: promised.length, broken };
}

async function brokenPromises(grantId: string, promises: readonly Promised[], node: Node): Promise<string[]> {
  const pairs = promises.filter((each) => each.is === 'pair');
  const [last, spent] = [pairs.at(-1), pairs.at(-3)];
  if (!last) return [`${grantId}: nothing but a revocation`];
  const isRevoked = promises.some(({ is }) => is === 'revoked');
  const isRevoking = promises.length === 1; // its revocation may have been in flight
  const expected = isRevoked ? ['grant-revoked'] : isRevoking ? ['accepted', 'grant-revoked'] : ['accepted'];
  const answers = [
    ['the last access token', await answer(checkToken(last.access, node)), expected],
    ['the last refresh token', await present(last.refresh, node), expected],
    ...(spent
      ? [
          [
            'a spent refresh token',
            await present(spent.refresh, node),
            ['refresh-token-reused', 'grant-revoked'],
          ] as const,
        ]
      : []),
  ] as const;
  return answers
    .filter(([, given, allowed]) => !(allowed as readonly string[]).includes(given))
    .map(([what, given, allowed]) => `${grantId}: ${what} was answered ${given}, not ${allowed.join(' or ')}`);
}

function present(refreshToken: string, node: Node): Promise<string> {
  return answer(refreshTokens({ clientId: CLIENT, refreshToken, presenter: CURL, ...NOTHING_PRESENTED }, node));
}

/** Refresh events per grant: equals its generation, since both are one commit. */
async function refreshesTold(store: Store): Promise<Map<string, number>> {
  const told = new Map<string, number>();
  for await (const events of eventPages(store, 10_000)) {
    for (const { type, subjectId = '' } of events)
      if (type === 'refreshed') told.set(subjectId, (told.get(subjectId) ?? 0) + 1);
  }
  return told;
}
