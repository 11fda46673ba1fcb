// Client certificates.
import { type Group, inClass } from './declaration.ts';

export const CERTIFICATE = inClass('certificate', {
  'certificate-missing': {
    says: 'No client certificate was presented.',
    oauth: 'No client certificate was presented, and the request has neither client_assertion nor client_secret.',
    caller: 'Present a client certificate.',
    operator: 'check the [proxy](configuration.md#general).',
  },
  'certificate-repeated': {
    class: 'request',
    says: 'The client certificate was handed over more than once.',
    operator: 'let the proxy remove its certificate header from requests.',
  },
} satisfies Group);

/** Verdicts on one presented certificate. Each has a line in the log with the rule, the profile and the setting. */
export const CERTIFICATE_VERDICT = inClass('certificate', {
  'certificate-unreadable': {
    says: 'The client certificate could not be read.',
    caller: 'Get another certificate: it, or its name, cannot be read.',
  },
  'certificate-issuer-not-approved': {
    says: 'The client certificate was not issued by an approved issuer.',
    caller: 'Send intermediates.',
    operator: 'approve the issuer, if you trust it.',
    repair: ['issuer', 'enabled'],
  },
  'certificate-not-yet-valid': {
    says: 'The client certificate, or an authority above it, is not valid yet.',
    caller: 'Check clocks.',
  },
  'certificate-expired': {
    says: 'The client certificate, or an authority above it, has expired.',
    caller: 'Get a new certificate.',
  },
  'certificate-revoked': {
    says: 'The client certificate, or an authority above it, was revoked.',
    caller: 'Get a new certificate.',
  },
  'certificate-revocation-unknown': {
    says: 'Whether the client certificate was revoked could not be found out.',
    operator:
      'check the CRL or OCSP responder. [At most four addresses](certificates.md#what-is-fetched-and-from-where) per certificate are tried.',
  },
  'certificate-refused-by-policy': {
    says: 'The client certificate does not meet the policy of its issuer.',
    caller: 'Get a certificate that satisfies the rule in the log ([why?](certificates.md#why-was-it-refused)).',
  },
} satisfies Group);

/** Verdicts on the name in an accepted certificate. */
export const CERTIFICATE_NAME = inClass('certificate', {
  'certificate-name-missing': {
    says: 'The client certificate holds no name in the configured field.',
    caller: "Compare its names with the issuer's identity sources.",
  },
  'certificate-name-ambiguous': {
    says: 'The client certificate holds several names in the configured field.',
    caller: 'Get a certificate with one name in the identity source.',
  },
  'certificate-name-malformed': {
    says: 'The client certificate holds a malformed name in the configured field.',
    caller: 'Get another certificate: it, or its name, cannot be read.',
  },
  'certificate-identity-unknown': {
    says: 'No identity belongs to this client certificate.',
    operator: "exactly one identity must have the certificate's name.",
  },
  'certificate-identity-ambiguous': {
    says: 'Several identities would match this client certificate.',
    operator: "exactly one identity must have the certificate's name.",
  },
} satisfies Group);

/** The issuer, the integration and what they need. */
export const CERTIFICATE_USE = inClass('flow', {
  'certificate-flow-disabled': {
    says: 'Authorization by certificate is disabled for this API integration.',
    caller: 'Use device authorization.',
    operator: 'or allow the flow `certificate`.',
    repair: ['integration', 'flows'],
  },
  'issuer-not-for-integration': {
    says: 'Certificates of this issuer may not use this API integration.',
    operator: 'add the integration to the issuer.',
    repair: ['issuer', 'integrations'],
  },
  'revocation-unavailable': {
    class: 'unavailable',
    says: 'Whether the client certificate was revoked cannot be found out now. Ask again.',
    caller: 'Retry.',
    operator: 'check the CRL or OCSP server of the bound certificate.',
  },
} satisfies Group);
