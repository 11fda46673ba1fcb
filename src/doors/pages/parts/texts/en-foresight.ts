// What a page of the console says about an act before it is done.
import type { Weakening } from '../../../../core/rules/weakening.ts';

export const enForesight = {
  touched: {
    none: 'No living grant is touched.',
    some: (grants: number, holders: number, names: string, isComplete: boolean) =>
      `${isComplete ? '' : 'At least '}${grants === 1 ? '1 living grant' : `${grants} living grants`} of ${holders === 1 ? '1 identity' : `${holders} identities`} (${names}) ${grants === 1 ? 'is' : 'are'} touched.`,
    noneOfNewest: 'None of the newest 10,000 grants is touched. Older ones may be.',
    ways: {
      remove: 'They end at once.',
      disable: 'They are refused while it is disabled, and work again after that.',
      change: 'They are refused, or get less than they have.',
      stay: 'New callers are refused within a second. These grants stay until they end.',
    },
  },
  weakenings: {
    'revocation-unchecked': 'Revoked certificates of this issuer will be accepted.',
    'lists-unchecked': 'Revoked certificates of this issuer will be accepted, unless OCSP refuses them.',
    'ocsp-unchecked': 'Revoked certificates of this issuer will be accepted, unless a revocation list names them.',
    'lists-optional':
      'Revoked certificates of this issuer will be accepted while there is no current revocation list, unless OCSP refuses them.',
    'ocsp-optional':
      'Revoked certificates of this issuer will be accepted while OCSP does not respond, unless a revocation list names them.',
    'grants-outlive-certificates': 'Grants will stay when their certificate is revoked.',
    'reuse-reported': 'A reused refresh token will not end its grant.',
    'certificate-unneeded': 'Refresh tokens will work without the certificate: whoever has one can use it.',
    'certificate-exchangeable': 'Refresh tokens will work with any certificate of the same identity and issuer.',
    'key-unneeded': 'Tokens of new grants will work without the key of the caller (DPoP): whoever has one can use it.',
  } satisfies Record<Weakening, string>,
} as const;
