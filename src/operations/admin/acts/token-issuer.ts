import { accept } from '../../../core/outcome.ts';
import type { TokenIssuer } from '../../../core/token-issuer.ts';
import { decline } from '../admin.ts';
import { readRules, writtenRules } from '../assertion-rules.ts';
import { TokenIssuerObject, type WrittenTokenIssuer } from '../objects.ts';
import { ending, planned } from '../perform.ts';
import { changing, registering, removeTokenIssuer } from '../register-token-issuer.ts';
import type { TokenIssuerDraft } from '../token-issuer-draft.ts';
import { answering, type ObjectKind, type RunsOf } from './act.ts';

export const KIND: ObjectKind<'token-issuer', WrittenTokenIssuer> = {
  kind: 'token-issuer',
  section: 'tokenIssuers',
  schema: TokenIssuerObject,
  keyOf: ({ label }) => label,
  isThere: ({ enabled }) => enabled,
  unknown: 'token-issuer-unknown',
  written: writtenTokenIssuer,
  resolve: async (body) => {
    const rules = readRules(body.rules);
    return rules.ok ? accept({ ...body, rules: writtenRules(rules.value) }) : rules;
  },
  put: async (label, given, before, ports) => {
    const { issuer, ...draft } = given as unknown as TokenIssuerDraft & { issuer: string };
    if (before && before.issuer !== issuer) return decline('token-issuer-iss-differs', label);
    if (before) return accept(planned('token-issuer', label, changing(label, draft)));
    const decide = await registering({ label, issuer }, draft, { ...ports, ourIssuer: ports.issuer });
    return decide.ok ? accept(planned('token-issuer', label, decide.value)) : decide;
  },
  remove: ({ label }) =>
    planned('token-issuer', label, (row, at) =>
      row ? ending('token-issuer', row, { did: 'removed' }, at) : decline('changed-meanwhile', label),
    ),
};

export const RUNS: RunsOf<'token-issuer'> = {
  'token-issuer-remove': async ({ id = '' }, ports) => answering(await removeTokenIssuer(id, ports), () => ({ id })),
};

function writtenTokenIssuer({ keys, rules, kind, ...rest }: TokenIssuer): WrittenTokenIssuer {
  const { allowedAddresses, authorities, ...source } = { allowedAddresses: undefined, authorities: undefined, ...keys };
  return {
    ...rest,
    ...(kind === 'enterprise' && { kind }),
    keys: source,
    ...(allowedAddresses && { allowedAddresses }),
    ...(authorities !== undefined && { authorities }),
    rules: writtenRules(rules),
  };
}
