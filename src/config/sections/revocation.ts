import { duration, section, whole } from '../setting.ts';

export const revocation = section(
  'What finding out about revoked certificates may cost, and for how long an answer counts.',
  {
    listBytes: whole(65_536, 1_073_741_824, {
      description: 'Size of a revocation list that certificates name; larger ones are not taken.',
      default: 67_108_864,
    }),
    addressesPerIssuer: whole(1, 1_000, {
      description:
        'Addresses of lists and OCSP responders that are visited for the certificates of one approved issuer; of one certificate, 4 at most.',
      default: 16,
    }),
    ocspWithoutNonce: duration({
      description:
        'How long an OCSP answer without a nonce is believed after it came. Responders that make their answers beforehand send none.',
      default: '1h',
    }),
  },
);
