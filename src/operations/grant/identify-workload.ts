// Which identity an accepted assertion has, by the rule that matched it.
import type { AcceptedAssertion } from '../../core/assertion.ts';
import type { Identity } from '../../core/identity.ts';
import { accept, type Outcome, refuse } from '../../core/outcome.ts';
import type { AssertionRule } from '../../core/token-issuer.ts';
import type { Ports } from '../ports.ts';
import { derivedIdentity, type IdentityRows } from './derived-identity.ts';
import { findNamed } from './seen-identity.ts';

const LOOKUPS = { 'user-name': 'byUserName', email: 'byEmail', upn: 'byUpn' } as const satisfies Readonly<
  Record<Exclude<AssertionRule['identities'], 'derived'>, string>
>;

/** Maps an accepted assertion to an identity. A dry run passes `LOADED`. */
export async function mapWorkload(
  assertion: AcceptedAssertion,
  ports: Pick<Ports, 'store' | 'directories'>,
  rows: IdentityRows,
): Promise<Outcome<Identity>> {
  const { rule, name } = assertion;
  if (rule.identities === 'derived') return accept(await rows.derived(derivedFrom(assertion), 'assertion', ports));
  const { directories } = rule;
  const query = { by: LOOKUPS[rule.identities], name: name.text, directories };
  const [identity, ...others] = await findNamed(query, ports, rows);
  if (!identity) return refuse('assertion-identity-unknown');
  return others.length > 0 ? refuse('assertion-identity-ambiguous') : accept(identity);
}

/** From the issuer, the template and each value, preceded by its length: values that join to the same text give different identities. */
function derivedFrom({ tokenIssuer: { label, issuer }, rule, name }: AcceptedAssertion): Identity {
  const parts = [issuer, rule.identity, ...name.values].map((part) => `${Buffer.byteLength(part)}:${part}`);
  return derivedIdentity(label, `assertion\0${parts.join('')}`, name.text);
}
