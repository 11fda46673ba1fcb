import type { ApprovedIssuer } from '../../core/issuer.ts';
import { keyedTable } from '../table.ts';

export const issuers = keyedTable<ApprovedIssuer>({
  name: 'issuers',
  columns: [
    { name: 'label', kind: 'text', fixed: true, of: ({ label }) => label },
    { name: 'body', kind: 'json', of: issuerBody },
  ],
  decode: ([label, body]) => {
    const bytes = (text: string) => Buffer.from(text, 'base64');
    const { certificate, intermediates, ...rest } = JSON.parse(body as string);
    return { label, certificate: bytes(certificate), intermediates: intermediates.map(bytes), ...rest };
  },
});

/** All but the key, which has a column of its own. */
function issuerBody(issuer: ApprovedIssuer): string {
  const [certificate, intermediates] = [base64(issuer.certificate), issuer.intermediates.map(base64)];
  return JSON.stringify({ ...issuer, label: undefined, certificate, intermediates });
}

function base64(der: Uint8Array): string {
  return Buffer.from(der).toString('base64');
}
