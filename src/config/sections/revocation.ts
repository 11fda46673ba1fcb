import { duration, section, whole } from '../setting.ts';

export const revocation = section('Limits for fetching revocation lists and OCSP responses.', {
  listBytes: whole([65_536, 1_073_741_824], 'Maximum size of a list.', 67_108_864),
  addressesPerIssuer: whole([36, 100_000], 'Lists kept per approved issuer.', 1_000),
  totalBytes: whole(
    [1_048_576, 68_719_476_736],
    'Memory for all lists of a process; at least twice `listBytes`.',
    536_870_912,
  ),
  ocspWithoutNonce: duration('How long an OCSP response without a nonce is used.', '1h'),
});
