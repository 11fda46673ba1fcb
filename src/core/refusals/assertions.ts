// Assertions of platforms, which only /oauth2 takes.
import { type Group, inClass } from './declaration.ts';

export const ASSERTION_VERDICT = inClass('assertion', {
  'assertion-malformed': {
    says: 'The assertion is not a JWT with the header and claims that are needed.',
    caller: "Send the platform's token unchanged.",
    operator: '`tessera token-issuer explain`.',
  },
  'assertion-issuer-unknown': {
    says: 'iss of the assertion is not that of a registered token issuer.',
    operator: 'register a token issuer with exactly this `iss`, if you trust it.',
    repair: ['token-issuer', 'enabled'],
  },
  'assertion-algorithm-not-allowed': {
    says: 'The signature algorithm (alg) of the assertion is not allowed for its issuer. Ask the operator to allow it.',
    operator: '`tessera token-issuer change LABEL --algorithm …`.',
  },
  'assertion-not-authentic': {
    says: 'The assertion was not signed by a key of its issuer.',
    caller: "Send the platform's token unchanged.",
    operator: '`tessera token-issuer explain`.',
  },
  'assertion-expired': { says: 'The assertion has expired. Send a new one.' },
  'assertion-not-yet-valid': { says: 'The assertion is not valid yet. Check the clocks.' },
  'assertion-lifetime-too-long': {
    says: 'The assertion is valid for longer than this server accepts. Ask for a shorter one.',
    caller: 'Request a shorter one.',
    operator: '`--max-lifetime`.',
  },
  'assertion-audience-wrong': {
    says: 'aud of the assertion does not name this server.',
    caller: 'Request this service as `aud`, usually its public address.',
  },
  'assertion-rule-unmatched': {
    says: 'The claims of the assertion do not match exactly one rule for its issuer. Ask the operator.',
    operator: '`tessera token-issuer explain`. Exactly one rule must match.',
  },
  'assertion-name-malformed': {
    says: 'The claims that name the workload are missing or malformed. Ask the operator.',
    operator: '`tessera token-issuer explain`. Exactly one rule must match.',
  },
} satisfies Group);

/** Verdicts on the identity that an accepted assertion names. */
export const ASSERTION_IDENTITY = inClass('assertion', {
  'assertion-identity-unknown': {
    says: 'No identity belongs to this assertion.',
    operator: 'exactly one identity must have the name in the claims.',
  },
  'assertion-identity-ambiguous': {
    says: 'Several identities would match this assertion.',
    operator: 'exactly one identity must have the name in the claims.',
  },
} satisfies Group);

export const ASSERTION_USE = inClass('assertion', {
  'assertion-flow-disabled': {
    class: 'flow',
    says: 'Authorization by assertion is disabled for this API integration.',
    operator: '`tessera integration change ID --assertion yes`.',
    repair: ['integration', 'flows'],
  },
  'assertion-used': {
    says: 'This assertion was used before. Send a new one.',
    caller: 'Get a new one: it works once. If you did not use it, somebody has a copy.',
  },
  'token-issuer-not-for-integration': {
    class: 'flow',
    says: 'Assertions of this kind may not use this API integration.',
    operator: 'add the integration to the rule.',
    repair: ['token-issuer', 'rules'],
  },
  'assertion-of-another-integration': {
    class: 'grant',
    says: 'client_id of the assertion names another client.',
    caller: 'Get an ID-JAG with the `client_id` of this client.',
  },
  'assertion-keys-unavailable': {
    class: 'unavailable',
    says: 'The keys of the issuer of the assertion cannot be fetched now. Ask again.',
    caller: 'Retry.',
    operator: 'the log says why keys cannot be fetched.',
  },
} satisfies Group);
