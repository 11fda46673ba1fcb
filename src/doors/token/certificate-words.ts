// The text for a caller whose certificate ("it") breaks a rule: general, without names and settings, which the operator's log has.

const UNREADABLE = 'an extension is malformed';
const CRITICALITY = 'an extension is marked critical that must not be, or the reverse';
const NAME_MISSING = 'a subject or issuer name is missing';
const NAME_MALFORMED = 'a name is malformed';
const KEY_KIND = 'a key is of a kind or size that is not accepted';
const KEY_IDENTIFIERS = 'key identifiers are missing or inconsistent';
const NOT_ISSUING = 'an authority above it may not issue client certificates';
const NOT_A_LEAF = 'it is the certificate of an authority, not of a caller';

const WORDS: Readonly<Record<string, string>> = {
  'bounded-work': 'too many or too large certificates were presented',
  'extensions-well-formed': UNREADABLE,
  'information-access-well-formed': UNREADABLE,
  'critical-extensions-known': 'a critical extension is not supported',
  'extension-criticality': CRITICALITY,
  'constraints-critical': CRITICALITY,
  'alternative-names-criticality': CRITICALITY,
  'root-basic-constraints-critical': CRITICALITY,
  'policy-qualifiers-known': 'a policy qualifier is not supported',
  'signature-algorithms-agree': 'it names two different signature algorithms',
  'signature-algorithm-strong': 'a signature algorithm is too weak or not supported',
  'serial-number': 'a serial number is not valid',
  'issuer-name-present': NAME_MISSING,
  'subject-name-present': NAME_MISSING,
  'alternative-names-well-formed': NAME_MALFORMED,
  'dns-name-no-address': NAME_MALFORMED,
  'identity-names-well-formed': NAME_MALFORMED,
  'names-in-set-order': NAME_MALFORMED,
  'spiffe-trust-domain': 'its SPIFFE ID is not of an accepted trust domain',
  'dates-encoded': 'a date is malformed',
  'key-strong': KEY_KIND,
  'key-curve': KEY_KIND,
  'key-kind': KEY_KIND,
  'key-well-formed': 'a key is malformed',
  'key-identifiers-consistent': KEY_IDENTIFIERS,
  'key-identifiers-present': KEY_IDENTIFIERS,
  'root-key-identifier': KEY_IDENTIFIERS,
  'authority-is-ca': NOT_ISSUING,
  'authority-may-sign': NOT_ISSUING,
  'authority-usage': NOT_ISSUING,
  'root-without-usage': NOT_ISSUING,
  'leaf-is-no-authority': NOT_A_LEAF,
  'leaf-signs-no-certificates': NOT_A_LEAF,
  'leaf-signs-no-lists': NOT_A_LEAF,
  'leaf-without-name-constraints': NOT_A_LEAF,
  'leaf-key-usage': 'its key usage does not allow digital signatures',
  'client-usage': 'its extended key usage does not allow client authentication',
  'client-usage-explicit': 'its extended key usage must list client authentication (clientAuth)',
  'leaf-version': 'it must be an X.509 version 3 certificate',
  'path-length': 'there are more authorities above it than allowed',
  'name-constraints': 'a name is outside the names that an authority above it may issue for',
  'intermediates-seen':
    'this server cannot see the intermediates that callers send, so the operator must register them',
  'certificate-policies': 'the certificate policies of its path are not valid',
};

export function wordsOfRule(rule: string | undefined): string | undefined {
  return rule !== undefined && Object.hasOwn(WORDS, rule) ? WORDS[rule] : undefined;
}
