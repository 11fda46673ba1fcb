import type { CallerName } from '../../core/certificate.ts';
import type { ApprovedIssuer } from '../../core/issuer.ts';
import type { Outcome } from '../../core/outcome.ts';
import type { Step } from '../../core/verdict.ts';
import { step } from '../path/step.ts';
import { escapeText } from '../x509/distinguished-name.ts';

/** The last step: the identity that the name belongs to. Worded like the others, in the dry run and in the log. */
export function mappingStep(
  { issuer, name }: { readonly issuer: ApprovedIssuer; readonly name: CallerName },
  identity: Outcome<{ readonly id: string }>,
): Step {
  const about = `${name.source} ${escapeText(name.name)}`;
  const demand =
    issuer.identities === 'directory'
      ? 'exactly one identity in the directory has this name'
      : 'the identity is derived from the name';
  const words = `${demand}: ${identity.ok ? escapeText(identity.value.id) : identity.refusal.reason}`;
  const reason = identity.ok ? 'certificate-identity-unknown' : identity.refusal.reason;
  return step('identity-mapped', identity.ok, about, words, { setting: `identities: ${issuer.identities}`, reason });
}
