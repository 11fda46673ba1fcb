import { type ApprovedIssuer, OPTIONAL_CURVES } from '../../core/issuer.ts';
import { countCapitalUpns } from '../../operations/admin/examine-contents.ts';
import type { Store } from '../../store/store.ts';
import { counted } from '../terminal/output.ts';
import { type Finding, poor } from './finding.ts';

/** Issuer settings under which more people than intended can act as one identity. */
export function examineIdentitySources(approved: readonly ApprovedIssuer[]): Finding[] {
  return [...approved.flatMap(examineList), ...examineShared(approved)];
}

/** Requesters often choose the names in their certificate: leaving one out makes the next source apply. */
function examineList({ label, identitySources }: ApprovedIssuer): Finding[] {
  if (identitySources.length < 2) return [];
  const says = `identity from ${identitySources.join(', ')}: a certificate without the first is identified by the next`;
  const todo = 'Make sure that the authority does not let requesters leave names out, or name one source alone.';
  return [poor(`issuer ${label}`, says, todo)];
}

/** Derived identities include the issuer's label; identities of the directory do not. */
function examineShared(approved: readonly ApprovedIssuer[]): Finding[] {
  const listed = approved.filter(({ identities }) => identities === 'directory');
  const sources = [...new Set(listed.flatMap(({ identitySources }) => identitySources))];
  return sources.flatMap((source) => {
    const labels = listed.filter(({ identitySources }) => identitySources.includes(source)).map(({ label }) => label);
    if (labels.length < 2) return [];
    const says = `${labels.join(', ')}: the same ${source} is the same identity of the directory under each`;
    return [poor('issuers', says, 'Approve only authorities that agree on who has which name, or use --derived.')];
  });
}

/** Earlier versions allowed more curves. Keys on those are refused now. */
export function examineCurves({ label, curves = [] }: ApprovedIssuer): Finding[] {
  const ignored = curves.filter((curve) => !OPTIONAL_CURVES.includes(curve));
  if (ignored.length === 0) return [];
  const says = `curves that are no longer supported are ignored: ${ignored.join(', ')}`;
  return [poor(`issuer ${label}`, says, `Set its curves again: tessera issuer change ${label} --no-curve`)];
}

/** These issuers look up names in lower case, so they never find an identity whose name has capitals. */
export async function examineUpns(approved: readonly ApprovedIssuer[], store: Store): Promise<Finding[]> {
  const isFolding = ({ upnComparison, identities }: ApprovedIssuer) =>
    upnComparison === 'active-directory' && identities === 'directory';
  const labels = approved.filter(isFolding).map(({ label }) => label);
  const unfound = labels.length === 0 ? 0 : await countCapitalUpns({ store });
  if (unfound === 0) return [];
  const says = `${labels.join(', ')}: ${counted(unfound, 'principal name')} of the directory with capitals`;
  return [
    poor(
      'issuers',
      says,
      'Under --upn active-directory they are not found. Add those identities again, with --upn in lower case.',
    ),
  ];
}
