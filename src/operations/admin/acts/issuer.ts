import { isDeepStrictEqual } from 'node:util';
import type { ClientId } from '../../../core/integration.ts';
import type { ApprovedIssuer } from '../../../core/issuer.ts';
import { accept } from '../../../core/outcome.ts';
import { writePem } from '../../../pki/der/pem.ts';
import { issuers } from '../../../store/tables/issuers.ts';
import { type AdminOutcome, decline } from '../admin.ts';
import { approveIssuer } from '../approve-issuer.ts';
import { changeIssuer, type IssuerChange, withdrawIssuer } from '../change-issuer.ts';
import type { IssuerDraft } from '../issuer-draft.ts';
import { listedIssuer } from '../list-issuers.ts';
import { completedIssuer, type WrittenIssuer } from '../objects.ts';
import { type ActPorts, afterwards, answering, answerRow, listRows, type RunsOf } from './act.ts';

export const RUNS: RunsOf<'issuer'> = {
  'issuer-list': ({ query }, { store }) => {
    const { all = false } = query as { all?: boolean };
    return listRows(store, issuers, query, (row) => (all || row.enabled ? writtenIssuer(row) : undefined));
  },
  'issuer-show': ({ id = '' }, ports) => show(id, ports),
  'issuer-put': async ({ id: label = '', body, onlyIf }, ports) => {
    const { found } = await ports.store.load(issuers, label);
    const known = found?.row.enabled ? found.row : undefined;
    const draft = completeIssuer(label, body as WrittenIssuer, known, ports);
    if (!draft.ok) return draft;
    const isNew = onlyIf === 'absent' || (onlyIf === undefined && !known);
    const done = await (isNew ? approveIssuer(asNew(draft.value), ports) : changeIssuer(label, draft.value, ports));
    return afterwards(done, () => show(label, ports));
  },
  'issuer-remove': async ({ id = '' }, ports) => answering(await withdrawIssuer(id, ports), () => ({ id })),
};

function show(id: string, { store }: Pick<ActPorts, 'store'>) {
  return answerRow(store, issuers, id, (row) => (row ? accept(writtenIssuer(row)) : decline('issuer-unknown', id)));
}

export function writtenIssuer(issuer: ApprovedIssuer): WrittenIssuer {
  const pem = [issuer.certificate, ...issuer.intermediates].map(writePem).join('');
  return { ...listedIssuer(issuer), pem };
}

/** `revocation.crlFiles` is absent if they stay. */
type CompleteIssuer = Omit<IssuerDraft, 'revocation'> & Pick<IssuerChange, 'revocation'>;

/** Every field: what is left out gets its default. List files are read, unless the issuer has them already. */
export function completeIssuer(
  label: string,
  body: WrittenIssuer,
  before: ApprovedIssuer | undefined,
  { readFile }: Pick<ActPorts, 'readFile'>,
): AdminOutcome<CompleteIssuer> {
  const { revocation, integrations, ...rest } = completedIssuer(body);
  const { crlFiles, ...checks } = revocation;
  const isKept = isDeepStrictEqual(crlFiles, before?.revocation.crlFiles ?? []);
  const [unreadable] = isKept || readFile ? [] : crlFiles;
  if (unreadable !== undefined) return decline('list-file-elsewhere', unreadable);
  const files = isKept || !readFile ? [] : crlFiles.map((path) => ({ path, contents: readFile(path) }));
  return accept({
    ...{ label, ...rest, integrations: integrations as readonly ClientId[] },
    revocation: { ...checks, ...(!isKept && { crlFiles: files }) },
  });
}

/** Without a row there are no list files to keep. */
export function asNew({ revocation, ...draft }: CompleteIssuer): IssuerDraft {
  return {
    ...draft,
    revocation: { ocsp: 'if-available', endGrants: true, ...revocation, crlFiles: revocation.crlFiles ?? [] },
  };
}
