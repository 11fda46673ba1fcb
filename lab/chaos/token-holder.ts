// One of many processes that share a token file: gets a token again and again, and reports every failure as a JSON line.
import { stored } from '../../sdk/client/src/by/stored.ts';
import { send } from '../../sdk/client/src/door/send.ts';
import { TokenFailure } from '../../sdk/client/src/failure.ts';
import { tokenSource } from '../../sdk/client/src/token-source.ts';

export interface Told {
  /** How many tokens it got since it last told. */
  readonly got?: number;
  /** The reason of a failure, and its words. */
  readonly failed?: string;
  readonly words?: string;
}

const [, , server = '', clientId = '', file = '', ca = ''] = process.argv;
const source = () => tokenSource({ server, clientId, by: stored(), store: file, ca, timeoutSeconds: 20 });
/** A token may expire while the request is under way; one that was used at once may not. */
const AT_ONCE_MS = 400;
const CHECKED = 0.05;
const TELL_MS = 500;

function tell(told: Told): void {
  process.stdout.write(`${JSON.stringify(told)}\n`);
}

async function check(token: string, since: number): Promise<void> {
  const tls = { ca };
  const answer = await send(`${server}/authsvc/Authorize/Verify`, { bearer: token, tls, timeoutMs: 10_000 }).catch(
    () => undefined,
  );
  if (answer?.status === 401 && performance.now() - since < AT_ONCE_MS)
    tell({ failed: 'dead-token', words: JSON.stringify(answer.json) });
}

let tokens = source();
let got = 0;
setInterval(() => {
  tell({ got });
  got = 0;
}, TELL_MS);
for (;;) {
  try {
    const token = await tokens.get();
    got++;
    if (Math.random() < CHECKED) await check(token, performance.now());
  } catch (error) {
    const reason = error instanceof TokenFailure ? (error.error ?? error.reason) : 'fault';
    tell({ failed: reason, words: String(error) });
  }
  // Some start anew, as short programs do.
  if (Math.random() < CHECKED) tokens = source();
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 300));
}
