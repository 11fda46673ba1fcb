import type { ApprovedIssuer } from '../../core/issuer.ts';
import { registeredTable } from '../table.ts';

export const issuers = registeredTable<ApprovedIssuer>(
  'issuers',
  ['label', 'label'],
  (issuer) => ({
    ...issuer,
    certificate: base64(issuer.certificate),
    intermediates: issuer.intermediates.map(base64),
  }),
  ({ certificate, intermediates, ...rest }) => ({
    ...rest,
    certificate: Buffer.from(certificate, 'base64'),
    intermediates: intermediates.map((text: string) => Buffer.from(text, 'base64')),
  }),
);

function base64(der: Uint8Array): string {
  return Buffer.from(der).toString('base64');
}
