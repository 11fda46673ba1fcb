import { duration, section, whole } from '../setting.ts';

export const revocation = section('Limits for fetching revocation lists and OCSP responses.', {
  listBytes: whole(65_536, 1_073_741_824, {
    description: 'Maximum size of a revocation list; larger ones are not used.',
    default: 67_108_864,
  }),
  addressesPerIssuer: whole(1, 1_000, {
    description: 'Addresses of lists and OCSP responders per approved issuer; at most 4 per certificate.',
    default: 16,
  }),
  ocspWithoutNonce: duration({
    description: 'How long an OCSP response without a nonce is used.',
    default: '1h',
  }),
});
