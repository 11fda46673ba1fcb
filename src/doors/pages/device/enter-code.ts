import { enterUserCode } from '../../../operations/device/decide-device.ts';
import { normalizeUserCode } from '../../../tokens/user-code.ts';
import type { Answer } from '../parts/answer.ts';
import { refusalPage, wordRefusal } from '../parts/refusal-page.ts';
import type { Form } from '../parts/route.ts';
import { type PersonVisit, queryOf, type Visit } from '../parts/visit.ts';
import { PAGE_WORDING } from '../parts/wording.ts';
import { codePage, comparePage } from './code-page.ts';

/** A well-formed user code as it is shown, else undefined. Does not look it up. */
export function readUserCode(typed: string | undefined): string | undefined {
  const letters = normalizeUserCode((typed ?? '').slice(0, 100));
  return letters && `${letters.slice(0, 4)}-${letters.slice(4)}`;
}

export async function showCode(visit: Visit): Promise<Answer> {
  const code = readUserCode(queryOf(visit, 'user_code'));
  if (queryOf(visit, 'wrong') !== undefined) return unknownCode(visit, code);
  return code ? comparePage(visit, code) : codePage(visit);
}

function unknownCode(visit: Visit, code: string | undefined): Answer {
  const said = visit.language.texts.refusalTexts.codeUnknown;
  return codePage(visit, code, { status: PAGE_WORDING['user-code-unknown'].status, said });
}

export async function takeCode(visit: Visit, form: Form): Promise<Answer> {
  const code = readUserCode(form['user_code']);
  // Malformed text does not count as an attempt: it cannot be a guess.
  if (!code) {
    const said = { title: visit.language.texts.code.malformed, text: '' };
    return codePage(visit, form['user_code'], { status: 400, said });
  }
  const { person } = visit;
  return person ? enterCode({ ...visit, person }, code) : { goTo: `/account/sign-in?user_code=${code}` };
}

/** Only for signed-in people: a code is not looked up before sign-in. */
export async function enterCode(visit: PersonVisit, code: string): Promise<Answer> {
  const entered = await enterUserCode(code, visit.person, visit.site.ports);
  if (entered.ok) return { goTo: `/device/${entered.value.device.id}` };
  if (entered.refusal.reason !== 'user-code-unknown') return refusalPage(visit, entered.refusal);
  wordRefusal(visit, entered.refusal);
  // Shown after a redirect, so that reloading the page is not another attempt.
  return { goTo: `/device?user_code=${code}&wrong` };
}
