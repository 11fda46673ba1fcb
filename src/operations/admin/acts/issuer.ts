import { readCertificate } from '../../../pki/x509/certificate.ts';
import { draftedIssuer, objectionToIssuer, writtenIssuer } from '../issuer-draft.ts';
import { IssuerObject, type WrittenIssuer } from '../objects.ts';
import { ending, rewrite } from '../perform.ts';
import { answering, type ObjectKind, type RunsOf } from './act.ts';

export const KIND: ObjectKind<'issuer', WrittenIssuer> = {
  kind: 'issuer',
  section: 'issuers',
  schema: IssuerObject,
  keyOf: ({ label }) => label,
  written: writtenIssuer,
  // A CRL file is configured on purpose, so callers are refused when it is missing or stale.
  complete: (_, { revocation = {} }) => {
    const usual = revocation.crlFiles?.length ? 'required' : 'if-available';
    return { revocation: { crl: usual, ...revocation } };
  },
  drafted: draftedIssuer,
  objection: objectionToIssuer,
  made: ({ certificate }) => {
    const read = readCertificate(certificate);
    return { did: 'approved', fingerprint: read.ok ? read.value.fingerprint : '' };
  },
  removal: () => ({ did: 'withdrawn' }),
};

export const RUNS: RunsOf<'issuer'> = {
  // The row stays, so that the list of all issuers shows who had the label.
  'issuer-remove': async ({ id = '' }, ports) => {
    const removed = await rewrite('issuer', id, ports, (row, at) => ending('issuer', row, { did: 'withdrawn' }, at));
    return answering(removed, () => ({ id }));
  },
};
