import type { Command } from 'commander';
import {
  changeTokenIssuer,
  findTokenIssuer,
  listTokenIssuers,
  registerTokenIssuer,
  removeTokenIssuer,
} from '../../../operations/admin/register-token-issuer.ts';
import { print, printJson, printRecord, printTable, result } from '../../terminal/output.ts';
import { accepted } from '../../terminal/wording.ts';
import { atWorkplace } from '../../terminal/workplace.ts';
import {
  type AddFlags,
  describeKeys,
  draftOf,
  type ListFlags,
  recordOf,
  shownTokenIssuer,
  type TokenIssuerFlags,
} from './token-issuer-flags.ts';

export function addTokenIssuer(label: string, flags: AddFlags, command: Command): Promise<void> {
  return atWorkplace(command, async (workplace) => {
    const { issuer } = flags;
    const ports = { ...workplace, ourIssuer: workplace.config.publicUrl };
    const added = accepted(await registerTokenIssuer({ label, issuer }, draftOf(flags), ports));
    print(`Registered ${label}: ${added.issuer}`);
    result(shownTokenIssuer(added));
  });
}

export function changeOne(label: string, flags: TokenIssuerFlags, command: Command): Promise<void> {
  return atWorkplace(command, async (workplace) => {
    const changed = accepted(await changeTokenIssuer(label, draftOf(flags), workplace));
    print(`Changed ${label}`);
    result(shownTokenIssuer(changed));
  });
}

export function printTokenIssuers({ json, ...filter }: ListFlags, command: Command): Promise<void> {
  return atWorkplace(command, async (workplace) => {
    const found = await listTokenIssuers(filter, workplace);
    if (json) return printJson(found.map(shownTokenIssuer));
    const lines = found.map((tokenIssuer) => {
      const { label, issuer, assertions, rules, enabled } = tokenIssuer;
      return [label, enabled ? 'yes' : 'removed', issuer, describeKeys(tokenIssuer), assertions, rules.length];
    });
    printTable(['label', 'registered', 'issuer', 'keys', 'assertions', 'rules'], lines);
  });
}

export function printTokenIssuer(label: string, { json }: { json?: true }, command: Command): Promise<void> {
  return atWorkplace(command, async (workplace) => {
    const tokenIssuer = accepted(await findTokenIssuer(label, workplace));
    if (json) printJson(shownTokenIssuer(tokenIssuer));
    else printRecord(recordOf(tokenIssuer));
  });
}

export function removeOne(label: string, command: Command): Promise<void> {
  return atWorkplace(command, async (workplace) => {
    accepted(await removeTokenIssuer(label, workplace));
    print(`Assertions of ${label} are no longer accepted`);
    result({ label });
  });
}
