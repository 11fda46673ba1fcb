import type { TokenIssuer } from '../../../core/token-issuer.ts';
import { openRules } from '../../../operations/admin/assertion-rules.ts';
import {
  changeTokenIssuer,
  findTokenIssuer,
  listTokenIssuers,
  registerTokenIssuer,
  removeTokenIssuer,
} from '../../../operations/admin/register-token-issuer.ts';
import { print, printJson, printRecord, printTable, remark, result } from '../../terminal/output.ts';
import { accepted } from '../../terminal/wording.ts';
import type { Workplace } from '../../terminal/workplace.ts';
import {
  type AddFlags,
  describeKeys,
  draftOf,
  type ListFlags,
  recordOf,
  shownTokenIssuer,
  type TokenIssuerFlags,
} from './token-issuer-flags.ts';

export async function addTokenIssuer(label: string, flags: AddFlags, workplace: Workplace): Promise<void> {
  const { issuer } = flags;
  const ports = { ...workplace, ourIssuer: workplace.config.publicUrl };
  const added = accepted(await registerTokenIssuer({ label, issuer }, draftOf(flags), ports));
  print(`Registered ${label}: ${added.issuer}`);
  remarkOpenRules(added);
  result(shownTokenIssuer(added));
}

export async function changeOne(label: string, flags: TokenIssuerFlags, workplace: Workplace): Promise<void> {
  const changed = accepted(await changeTokenIssuer(label, draftOf(flags), workplace));
  print(`Changed ${label}`);
  remarkOpenRules(changed);
  result(shownTokenIssuer(changed));
}

function remarkOpenRules({ rules }: TokenIssuer): void {
  const open = openRules(rules);
  if (open) for (const line of [`Warning: ${open.problem}`, `  ${open.todo}`]) remark(line);
}

export async function printTokenIssuers({ json, ...filter }: ListFlags, workplace: Workplace): Promise<void> {
  const found = await listTokenIssuers(filter, workplace);
  if (json) return printJson(found.map(shownTokenIssuer));
  const lines = found.map((tokenIssuer) => {
    const { label, issuer, assertions, rules, enabled } = tokenIssuer;
    return [label, enabled ? 'yes' : 'removed', issuer, describeKeys(tokenIssuer), assertions, rules.length];
  });
  printTable(['label', 'registered', 'issuer', 'keys', 'assertions', 'rules'], lines);
}

export async function printTokenIssuer(label: string, { json }: { json?: true }, workplace: Workplace): Promise<void> {
  const tokenIssuer = accepted(await findTokenIssuer(label, workplace));
  if (json) printJson(shownTokenIssuer(tokenIssuer));
  else printRecord(recordOf(tokenIssuer));
}

export async function removeOne(label: string, _: unknown, workplace: Workplace): Promise<void> {
  accepted(await removeTokenIssuer(label, workplace));
  print(`Assertions of ${label} are no longer accepted`);
  result({ label });
}
