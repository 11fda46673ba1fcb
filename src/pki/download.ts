import { accept, type Outcome, refused } from '../core/outcome.ts';

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export const LARGEST_ANSWER = 32 * 1024 * 1024;
const PATIENCE_MS = 5_000;

/** No answer is no fault of ours: the policy says what it means. */
export async function download(
  fetch: Fetch,
  url: string,
  init: RequestInit = {},
): Promise<Outcome<Uint8Array, string>> {
  if (!/^https?:\/\//i.test(url)) return refused('the address is not one of http');
  try {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const response = await fetch(url, { ...init, redirect: 'error', signal });
    if (!response.ok) return refused(`the answer is HTTP ${response.status}`);
    if (Number(response.headers.get('content-length') ?? 0) > LARGEST_ANSWER) return refused(TOO_LARGE);
    const body = new Uint8Array(await response.arrayBuffer());
    return body.length > LARGEST_ANSWER ? refused(TOO_LARGE) : accept(body);
  } catch (problem) {
    return refused(`there is no answer: ${wordsOf(problem)}`);
  }
}

export const TOO_LARGE = `it has more than ${LARGEST_ANSWER} octets`;

/** What fetch throws says little; its cause says more. */
function wordsOf(problem: unknown): string {
  const { message, cause } = problem as Error;
  return cause instanceof Error ? cause.message : message;
}
