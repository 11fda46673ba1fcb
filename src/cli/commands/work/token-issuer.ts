import { openRules, readRules } from '../../../operations/admin/assertion-rules.ts';
import type { WrittenTokenIssuer } from '../../../operations/admin/objects.ts';
import { print, printJson, printRecord, printTable, remark, result } from '../../terminal/output.ts';
import { accepted } from '../../terminal/wording.ts';
import { type Administration, change, itemsOf } from './steps.ts';
import {
  type AddFlags,
  describeKeys,
  draftOf,
  type ListFlags,
  recordOf,
  shown,
  type TokenIssuerFlags,
} from './token-issuer-flags.ts';

export async function addTokenIssuer(label: string, flags: AddFlags, { act }: Administration): Promise<void> {
  const body = { rules: [], ...draftOf(flags), issuer: flags.issuer };
  const added = accepted(await act('token-issuer-put', { id: label, body, onlyIf: 'absent' })).value;
  print(`Registered ${label}: ${added.issuer}`);
  remarkOpenRules(added);
  result(shown(added));
}

export async function changeOne(label: string, flags: TokenIssuerFlags, administration: Administration): Promise<void> {
  const draft = draftOf(flags);
  const changed = await change('token-issuer', label, (before) => ({ ...before, ...draft }), administration);
  print(`Changed ${label}`);
  remarkOpenRules(changed);
  result(shown(changed));
}

function remarkOpenRules({ rules }: WrittenTokenIssuer): void {
  const open = openRules(accepted(readRules(rules)));
  if (open) for (const line of [`Warning: ${open.problem}`, `  ${open.todo}`]) remark(line);
}

export async function printTokenIssuers({ json, ...filter }: ListFlags, administration: Administration): Promise<void> {
  const found = await itemsOf('token-issuer-list', filter, administration);
  if (json) return printJson(found.map(shown));
  const lines = found.map((tokenIssuer) => {
    const { label, issuer, assertions, rules, enabled } = tokenIssuer;
    return [label, enabled ? 'yes' : 'removed', issuer, describeKeys(tokenIssuer), assertions, rules.length];
  });
  printTable(['label', 'registered', 'issuer', 'keys', 'assertions', 'rules'], lines);
}

export async function printTokenIssuer(
  label: string,
  { json }: { json?: true },
  { act }: Administration,
): Promise<void> {
  const tokenIssuer = accepted(await act('token-issuer-show', { id: label })).value;
  if (json) printJson(shown(tokenIssuer));
  else printRecord(recordOf(tokenIssuer));
}

export async function removeOne(label: string, _: unknown, { act }: Administration): Promise<void> {
  accepted(await act('token-issuer-remove', { id: label, query: {} }));
  print(`Assertions of ${label} are no longer accepted`);
  result({ label });
}
