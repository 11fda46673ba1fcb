import { TokenIssuerObject, type WrittenTokenIssuer } from '../objects.ts';
import { ending, rewrite } from '../perform.ts';
import { draftedTokenIssuer, objectionToTokenIssuer, writtenTokenIssuer } from '../token-issuer-draft.ts';
import { answering, type ObjectKind, type RunsOf } from './act.ts';

export const KIND: ObjectKind<'token-issuer', WrittenTokenIssuer> = {
  kind: 'token-issuer',
  section: 'tokenIssuers',
  schema: TokenIssuerObject,
  keyOf: ({ label }) => label,
  written: writtenTokenIssuer,
  drafted: draftedTokenIssuer,
  objection: objectionToTokenIssuer,
  made: ({ issuer, rules }) => ({ did: 'added', issuer, rules: rules.length }),
  removal: () => ({ did: 'removed' }),
};

export const RUNS: RunsOf<'token-issuer'> = {
  // The row stays, so that the list of all shows who had the label.
  'token-issuer-remove': async ({ id = '' }, ports) => {
    const removed = await rewrite('token-issuer', id, ports, (row, at) =>
      ending('token-issuer', row, { did: 'removed' }, at),
    );
    return answering(removed, () => ({ id }));
  },
};
