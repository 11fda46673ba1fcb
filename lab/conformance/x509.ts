// Reports where our verdicts differ from x509-limbo. Profile `strict` may have no false accept and at
// most four false rejects; profile `rfc5280` may have no false accept that RFC 5280 itself decides, except the cases
// listed in limbo.ts.
import type { ApprovedIssuer } from '../../src/core/issuer.ts';
import { printStep } from '../../src/pki/judge/explain.ts';
import { runHandshakes } from './handshake.ts';
import {
  DEFAULT_IS_LENIENT,
  isWrong,
  type LimboVerdict,
  readApplicableCases,
  runCase,
  STRICTER_THAN_LIMBO,
} from './limbo.ts';

const MOST_WRONGLY_REFUSED = 4;
const DECIDED_BY_RFC5280 = /^(rfc5280|crl|cve|pathological)::/;

/** Exit code: 0 if the targets are met. */
export async function runX509([folder]: readonly string[]): Promise<number> {
  if (!folder) throw new Error('usage: npm run lab -- x509 FOLDER');
  const cases = readApplicableCases(folder);
  const strict = report(
    'strict',
    cases.map((limbo) => runCase(limbo, 'strict')),
  );
  const rfc5280 = report(
    'rfc5280',
    cases.map((limbo) => runCase(limbo, 'rfc5280')),
  );
  const handshakes = await runHandshakes(folder);
  const isMet =
    strict.accepted.length === 0 &&
    strict.refused.length <= MOST_WRONGLY_REFUSED &&
    !rfc5280.accepted.some(({ id }) => DECIDED_BY_RFC5280.test(id) && !(id in DEFAULT_IS_LENIENT)) &&
    handshakes.accepted.length === 0 &&
    handshakes.refused.length <= MOST_WRONGLY_REFUSED;
  console.log(isMet ? 'targets met' : 'TARGETS MISSED');
  return isMet ? 0 : 1;
}

function report(profile: ApprovedIssuer['profile'], verdicts: readonly LimboVerdict[]) {
  const wrong = verdicts.filter(isWrong);
  const accepted = wrong.filter(({ expected }) => !expected);
  const refused = wrong.filter(({ expected }) => expected);
  console.log(
    `profile ${profile}: ${verdicts.length} cases, ${accepted.length} wrongly accepted, ${refused.length} wrongly refused`,
  );
  for (const { id } of accepted) console.log(`  accepted  ${id}${noteOn(id)}`);
  for (const verdict of refused)
    console.log(`  refused   ${verdict.id}
            ${reasonOf(verdict)}`);
  return { accepted, refused };
}

function noteOn(id: string): string {
  if (!DECIDED_BY_RFC5280.test(id)) return '  (a rule beyond RFC 5280)';
  const why = DEFAULT_IS_LENIENT[id];
  return why ? `  (on purpose: ${why})` : '';
}

function reasonOf({ id, explanation }: LimboVerdict): string {
  const failed = explanation.steps.find(({ passed }) => !passed);
  const note = STRICTER_THAN_LIMBO[id];
  return `${failed ? printStep(failed) : 'no step failed'}${note ? `\n            ${note}` : ''}`;
}
