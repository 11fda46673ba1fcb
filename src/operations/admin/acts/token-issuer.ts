import { accept } from '../../../core/outcome.ts';
import type { TokenIssuer } from '../../../core/token-issuer.ts';
import { tokenIssuers } from '../../../store/tables/token-issuers.ts';
import { decline } from '../admin.ts';
import { completeTokenIssuer, type WrittenTokenIssuer, writtenTokenIssuer } from '../objects.ts';
import { changeTokenIssuer, registerTokenIssuer, removeTokenIssuer } from '../register-token-issuer.ts';
import { type ActPorts, afterwards, answering, answerRow, listRows, type RunsOf } from './act.ts';

export const RUNS: RunsOf<'token-issuer'> = {
  'token-issuer-list': ({ query }, { store }) => {
    const { all = false } = query as { all?: boolean };
    return listRows(store, tokenIssuers, query, (row) => (all || row.enabled ? writtenTokenIssuer(row) : undefined));
  },
  'token-issuer-show': ({ id = '' }, ports) => show(id, ports),
  'token-issuer-put': async ({ id: label = '', body, onlyIf }, ports) => {
    const written = body as WrittenTokenIssuer;
    const { found } = onlyIf === 'absent' ? { found: undefined } : await ports.store.load(tokenIssuers, label);
    const done =
      onlyIf === 'absent' || (onlyIf === undefined && !found?.row.enabled)
        ? await registerTokenIssuer({ label, issuer: written.issuer }, completeTokenIssuer(written), {
            ...ports,
            ourIssuer: ports.issuer,
          })
        : (whyNotSame(written, found?.row) ?? (await changeTokenIssuer(label, completeTokenIssuer(written), ports)));
    return afterwards(done, () => show(label, ports));
  },
  'token-issuer-remove': async ({ id = '' }, ports) => answering(await removeTokenIssuer(id, ports), () => ({ id })),
};

export function whyNotSame({ issuer }: Pick<WrittenTokenIssuer, 'issuer'>, row: TokenIssuer | undefined) {
  return row?.enabled && row.issuer !== issuer ? decline('token-issuer-iss-differs', row.label) : undefined;
}

function show(id: string, { store }: Pick<ActPorts, 'store'>) {
  return answerRow(store, tokenIssuers, id, (row) =>
    row ? accept(writtenTokenIssuer(row)) : decline('token-issuer-unknown', id),
  );
}
