// An outside caller that refreshes over HTTP and records each status.
import { setTimeout as pause } from 'node:timers/promises';
import type { TokenPair } from '../../src/operations/grant/token-pair.ts';
import { CLIENT } from '../../test/samples.ts';

const PACE_MS = 20;

export class Witness {
  readonly #statuses = new Map<number, number>();
  readonly #surprises: string[] = [];
  readonly #ended: Promise<void>;
  #running = true;

  constructor(port: number, { refreshToken }: TokenPair) {
    this.#ended = this.#refresh(`http://127.0.0.1:${port}/authsvc/Authorize/Token`, refreshToken?.reveal() ?? '');
  }

  async stop() {
    this.#running = false;
    await this.#ended;
    return { statuses: this.#statuses, surprises: this.#surprises };
  }

  /** Anything but 200, or 503 with Retry-After, is unexpected. */
  async #refresh(url: string, first: string): Promise<void> {
    for (let token: string | undefined = first; this.#running && token; await pause(PACE_MS)) {
      try {
        const response = await fetch(url, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ client_id: CLIENT, refresh_token: token }),
        });
        token = this.#next(token, response, (await response.json()) as Record<string, unknown>);
      } catch (fault) {
        this.#surprises.push(`the service did not answer: ${String(fault)}`);
      }
    }
  }

  /** The token to present next; none if this one was refused. */
  #next(token: string, { status, headers }: Response, body: Record<string, unknown>): string | undefined {
    this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1);
    if (status === 200) return String(body['refresh_token']);
    if (status === 503 && Number(headers.get('retry-after')) > 0) return token;
    this.#surprises.push(`the service answered ${status} ${JSON.stringify(body)}`);
    return undefined;
  }
}
