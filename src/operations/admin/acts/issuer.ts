import { X509Certificate } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { ApprovedIssuer } from '../../../core/issuer.ts';
import { accept } from '../../../core/outcome.ts';
import { readPem, writePem } from '../../../pki/der/pem.ts';
import { decline } from '../admin.ts';
import { approving } from '../approve-issuer.ts';
import { changing, type IssuerChange, withdrawIssuer } from '../change-issuer.ts';
import type { IssuerDraft } from '../issuer-draft.ts';
import { IssuerObject, type WrittenIssuer } from '../objects.ts';
import { ending, planned } from '../perform.ts';
import { answering, type ObjectKind, type RunsOf } from './act.ts';

export const KIND: ObjectKind<'issuer', WrittenIssuer> = {
  kind: 'issuer',
  section: 'issuers',
  schema: IssuerObject,
  keyOf: ({ label }) => label,
  isThere: ({ enabled }) => enabled,
  unknown: 'issuer-unknown',
  written: writtenIssuer,
  resolve: async (body) => accept({ ...body, pem: readPem(body.pem, 'CERTIFICATE').map(writePem).join('') }),
  complete: (_, { revocation = {} }) => {
    const usual = revocation.crlFiles?.length ? 'required' : 'if-available';
    return { revocation: { crl: usual, ...revocation } };
  },
  put: async (label, given, before, { readFile, ...ports }) => {
    const { revocation, ...draft } = given as unknown as Draft;
    const { crlFiles: paths, ...checks } = revocation;
    const isKept = isDeepStrictEqual(paths, before?.revocation.crlFiles ?? []);
    const [unreadable] = isKept || readFile ? [] : paths;
    if (unreadable !== undefined) return decline('list-file-elsewhere', unreadable);
    const crlFiles = isKept || !readFile ? [] : paths.map((path) => ({ path, contents: readFile(path) }));
    if (before) {
      const change: IssuerChange = { ...draft, revocation: { ...checks, ...(!isKept && { crlFiles }) } };
      return accept(planned('issuer', label, changing(label, change)));
    }
    const decide = await approving({ ...draft, label, revocation: { ...checks, crlFiles } }, ports);
    return decide.ok ? accept(planned('issuer', label, decide.value)) : decide;
  },
  remove: ({ label }) =>
    planned('issuer', label, (row, at) =>
      row ? ending('issuer', row, { did: 'withdrawn' }, at) : decline('changed-meanwhile', label),
    ),
};

type Draft = Omit<IssuerDraft, 'revocation' | 'label'> & Pick<ApprovedIssuer, 'revocation'>;

export const RUNS: RunsOf<'issuer'> = {
  'issuer-remove': async ({ id = '' }, ports) => answering(await withdrawIssuer(id, ports), () => ({ id })),
};

/** Its settings, and the facts of its certificate. */
function writtenIssuer({ certificate, intermediates, ...issuer }: ApprovedIssuer): WrittenIssuer {
  const { subject, validTo, fingerprint256 } = new X509Certificate(certificate);
  return {
    ...issuer,
    subject: subject.replaceAll('\n', ', '),
    expires: new Date(validTo).toISOString().slice(0, 10),
    fingerprint: fingerprint256,
    intermediates: intermediates.length,
    pem: [certificate, ...intermediates].map(writePem).join(''),
  };
}
