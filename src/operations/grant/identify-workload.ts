// Which identity an accepted assertion has, by the rule that matched it.
import type { AcceptedAssertion } from '../../core/assertion.ts';
import { firstHalf } from '../../core/hex.ts';
import type { Identity, IdentityId } from '../../core/identity.ts';
import { accept, type Outcome, refuse } from '../../core/outcome.ts';
import type { AssertionRule } from '../../core/token-issuer.ts';
import { sha256 } from '../../tokens/sha256.ts';
import type { Ports } from '../ports.ts';
import type { FindDerived } from './derived-identity.ts';

const LOOKUPS = { 'user-name': 'byUserName', email: 'byEmail', upn: 'byUpn' } as const satisfies Readonly<
  Record<Exclude<AssertionRule['identities'], 'derived'>, string>
>;

/** Maps an accepted assertion to an identity. A dry run passes `loadDerived`. */
export async function mapWorkload(
  assertion: AcceptedAssertion,
  ports: Pick<Ports, 'store' | 'directory'>,
  existing: FindDerived,
): Promise<Outcome<Identity>> {
  const { rule, name } = assertion;
  if (rule.identities === 'derived') return accept(await existing(derivedFrom(assertion), 'assertion', ports));
  const [identity, ...others] = await ports.directory[LOOKUPS[rule.identities]](name.text);
  if (!identity) return refuse('assertion-identity-unknown');
  return others.length > 0 ? refuse('assertion-identity-ambiguous') : accept(identity);
}

/**
 * `LABEL:` + hex of the first 16 bytes of a SHA-256 over the issuer, the template and each value. Each is preceded by its
 * length: values that join to the same text give different identities.
 */
function derivedFrom({ tokenIssuer: { label, issuer }, rule, name }: AcceptedAssertion): Identity {
  const parts = [issuer, rule.identity, ...name.values].map((part) => `${Buffer.byteLength(part)}:${part}`);
  const id = `${label}:${firstHalf(sha256(`assertion\0${parts.join('')}`))}` as IdentityId;
  return { id, enabled: true, mayUseApi: true, groups: [], userName: `${label}/${name.text}` };
}
