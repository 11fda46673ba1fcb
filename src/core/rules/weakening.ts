// Changes of settings after which the service accepts more than before. An operator reads of them before they are done.
import type { Integration, TokenOverrides } from '../integration.ts';
import type { RevocationPolicy } from '../issuer.ts';
import { asksForCertificate } from './refresh.ts';

type Settings = Partial<RevocationPolicy & TokenOverrides & Pick<Integration, 'binding'>>;
type Rule = (was: Settings, will: Settings) => boolean;

const isUnchecked = ({ crl, ocsp }: Settings) => crl === 'off' && ocsp === 'off';

const RULES = {
  'revocation-unchecked': (was, will) => isUnchecked(will) && !isUnchecked(was),
  'lists-unchecked': (was, will) => will.crl === 'off' && was.crl !== 'off' && !isUnchecked(will),
  'ocsp-unchecked': (was, will) => will.ocsp === 'off' && was.ocsp !== 'off' && !isUnchecked(will),
  'lists-optional': (was, will) => was.crl === 'required' && will.crl === 'if-available',
  'ocsp-optional': (was, will) => was.ocsp === 'required' && will.ocsp === 'if-available',
  'grants-outlive-certificates': (was, will) => will.endGrants === false && was.endGrants !== false,
  'reuse-reported': (was, will) => will.onReuse === 'report' && was.onReuse !== 'report',
  'certificate-unneeded': ({ binding = 'none' }, will) => asksForCertificate(binding) && will.binding === 'none',
  'certificate-exchangeable': (was, will) => was.binding === 'certificate' && will.binding === 'identity',
  'key-unneeded': (was, will) => was.binding === 'dpop' && will.binding !== 'dpop',
} as const satisfies Readonly<Record<string, Rule>>;

export type Weakening = keyof typeof RULES;

type Change = readonly [field: string, values: { readonly before?: unknown; readonly after?: unknown }];

export function weakeningsOf(changes: readonly Change[]): readonly Weakening[] {
  const { revocation, overrides, binding } = Object.fromEntries(changes);
  const side = (when: 'before' | 'after') =>
    ({ ...(revocation?.[when] as object), ...(overrides?.[when] as object), binding: binding?.[when] }) as Settings;
  const [was, will] = [side('before'), side('after')];
  return Object.entries(RULES).flatMap(([name, isWeaker]) => (isWeaker(was, will) ? (name as Weakening) : []));
}
