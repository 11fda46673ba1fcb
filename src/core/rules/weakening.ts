// Changes of settings after which the service accepts more than before. Operators read of them before they are done, in these
// words: in the console, and on the command line.
import type { Integration, TokenOverrides } from '../integration.ts';
import type { ApprovedIssuer, RevocationPolicy } from '../issuer.ts';
import { seconds } from '../time.ts';
import { asksForCertificate } from './refresh.ts';
import { GUEST_WINDOW } from './siblings.ts';

type Settings = Partial<
  RevocationPolicy &
    TokenOverrides &
    Pick<Integration, 'binding' | 'access' | 'secretAddresses' | 'confidential'> &
    Pick<ApprovedIssuer, 'profile' | 'policies' | 'integrations'> & { readonly rules: unknown }
>;

export const isUnchecked = ({ crl, ocsp }: Pick<Settings, 'crl' | 'ocsp'> = {}) => crl === 'off' && ocsp === 'off';

/** A list of what is allowed, without which everything is. */
const isOpened = (was: readonly unknown[] = [], will: readonly unknown[] = []) => was.length > 0 && will.length === 0;

const patternsOf = ({ rules = [] }: Settings): readonly string[] =>
  JSON.stringify(rules).match(/"like":"[^"]*"/g) ?? [];

/**
 * Without its own window an integration has that of the server, which is unknown here and taken as 0, the default; its guests have
 * at least a week. A window is never shorter than the life of an access token.
 */
function isWindowLonger(was: Settings, will: Settings): boolean {
  const isUsual = was.refreshSiblingWindow === undefined && will.refreshSiblingWindow === undefined;
  const areLivesKnown = was.accessTokenLifetime !== undefined && will.accessTokenLifetime !== undefined;
  const effective = ({ refreshSiblingWindow, accessTokenLifetime = seconds(0) }: Settings, usual: number) => {
    const window = refreshSiblingWindow ?? usual;
    return window > 0 && areLivesKnown ? Math.max(window, accessTokenLifetime) : window;
  };
  return !isUsual && [0, GUEST_WINDOW].some((usual) => effective(will, usual) > effective(was, usual));
}

const RULES: Readonly<Record<string, (was: Settings, will: Settings) => boolean>> = {
  'Revoked certificates of this issuer will be accepted.': (was, will) => isUnchecked(will) && !isUnchecked(was),
  'Revoked certificates of this issuer will be accepted, unless OCSP refuses them.': (was, will) =>
    will.crl === 'off' && was.crl !== 'off' && !isUnchecked(will),
  'Revoked certificates of this issuer will be accepted, unless a revocation list names them.': (was, will) =>
    will.ocsp === 'off' && was.ocsp !== 'off' && !isUnchecked(will),
  'Revoked certificates of this issuer will be accepted while there is no current revocation list, unless OCSP refuses them.':
    (was, will) => was.crl === 'required' && will.crl === 'if-available',
  'Revoked certificates of this issuer will be accepted while OCSP does not respond, unless a revocation list names them.':
    (was, will) => was.ocsp === 'required' && will.ocsp === 'if-available',
  'Grants will stay when their certificate is revoked.': (was, will) =>
    will.endGrants === false && was.endGrants !== false,
  'Certificates that the profile strict refuses will be accepted.': (was, will) =>
    was.profile === 'strict' && will.profile === 'rfc5280',
  'Certificates without the required policy will be accepted.': (was, will) => isOpened(was.policies, will.policies),
  'It will serve every integration.': (was, will) => isOpened(was.integrations, will.integrations),
  'Secrets will work from every address.': (was, will) => isOpened(was.secretAddresses, will.secretAddresses),
  'It will be public: its client id alone will be enough, without a key or secret.': (was, will) =>
    was.confidential === true && will.confidential !== true,
  'Workloads that match a new pattern will be accepted.': (was, will) =>
    patternsOf(will).some((pattern) => !patternsOf(was).includes(pattern)),
  'Every identity that may use integrations will be able to use it.': ({ access: { to = 'everyone' } = {} }, will) =>
    to !== 'everyone' && will.access?.to === 'everyone',
  'A reused refresh token will not end its grant.': (was, will) =>
    will.onReuse === 'report' && was.onReuse !== 'report',
  'Earlier refresh tokens will work without a key for longer: a thief who uses one again and again will share the login, undetected.':
    isWindowLonger,
  'Refresh tokens will work without the certificate: whoever has one can use it.': ({ binding = 'none' }, will) =>
    asksForCertificate(binding) && will.binding === 'none',
  'Refresh tokens will work with any certificate of the same identity and issuer.': (was, will) =>
    was.binding === 'certificate' && will.binding === 'identity',
  'Tokens of new grants will work without the key of the caller (DPoP): whoever has one can use it.': (was, will) =>
    was.binding === 'dpop' && will.binding !== 'dpop',
};

type Change = readonly [field: string, values: { readonly before?: unknown; readonly after?: unknown }];

/** What the change of these fields weakens, as sentences. */
export function weakeningsOf(changes: readonly Change[]): readonly string[] {
  const side = (when: 'before' | 'after'): Settings => {
    const { revocation, overrides, ...fields } = Object.fromEntries(
      changes.map(([name, values]) => [name, values[when]]),
    );
    return { ...fields, ...(revocation as object), ...(overrides as object) };
  };
  const [was, will] = [side('before'), side('after')];
  return Object.entries(RULES).flatMap(([says, isWeaker]) => (isWeaker(was, will) ? says : []));
}
