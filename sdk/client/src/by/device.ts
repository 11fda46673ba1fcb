import { setTimeout as sleep } from 'node:timers/promises';
import { inert } from '../cli/terminal.ts';
import type { Door } from '../door/door.ts';
import type { Reply } from '../door/reply.ts';
import { now } from '../tokens.ts';
import type { Way } from './way.ts';

/** What the person needs. */
export interface DevicePrompt {
  /** Such as `BCDF-GHJK`. */
  readonly userCode: string;
  /** The page where the code is typed. */
  readonly verificationUri: string;
  /** The same page with the code filled in, for a link or a QR code. */
  readonly verificationUriComplete: string;
  /** When the code expires, in epoch seconds. */
  readonly expiresAt: number;
}

export interface DeviceOptions {
  /** Shows the person where to confirm. Left out: two lines on standard error. */
  readonly show?: (prompt: DevicePrompt) => void | Promise<void>;
  /** What the tokens are for, such as `orders:read`. Left out: everything the integration may do. */
  readonly scope?: string | undefined;
}

/** A person confirms in a browser, on any device. If the grant ends, a person must confirm again: call `login()`. */
export function device({ show = showOnStandardError, scope }: DeviceOptions = {}): Way {
  return {
    isAlone: false,
    todo: 'A person must log in again.',
    tls: () => undefined,
    start: async (door, signal) => {
      const started = await door.deviceAuthorization({ scope }, { signal });
      if (started.kind !== 'granted') return started;
      const authorization = readAuthorization(started.json);
      await show(authorization.prompt);
      return poll(door, authorization, signal);
    },
  };
}

interface Authorization {
  readonly deviceCode: string;
  readonly intervalMs: number;
  readonly prompt: DevicePrompt;
}

const SLOWER_MS = 5_000;
const SLOWEST_MS = 30_000;
/** Seconds. A timer of more than 24 days fires at once. */
const LONGEST_INTERVAL = 300;
const LONGEST_CODE = 86_400;

/** RFC 8628 3.5: until the server says something else than `authorization_pending` and `slow_down`. */
async function poll(
  door: Door,
  { deviceCode, intervalMs, prompt }: Authorization,
  signal: AbortSignal | undefined,
): Promise<Reply> {
  const form = { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: deviceCode };
  for (let wait = intervalMs; ; ) {
    await sleep(wait, undefined, { signal });
    const reply = await door.token(form, { signal });
    if (reply.kind === 'granted') return reply;
    if (now() > prompt.expiresAt) return { kind: 'refused', error: 'expired_token', why: 'Nobody confirmed in time.' };
    if (reply.kind === 'refused' && !['authorization_pending', 'slow_down'].includes(reply.error)) return reply;
    wait = nextWait(wait, reply);
  }
}

/** RFC 8628 3.5: also after a timeout, a client should poll less often. */
export function nextWait(wait: number, reply: Reply): number {
  if (reply.kind === 'refused' && reply.error !== 'slow_down') return wait;
  return Math.max(wait, Math.min(wait + SLOWER_MS, SLOWEST_MS));
}

export function readAuthorization(json: Readonly<Record<string, unknown>>): Authorization {
  // These reach a terminal.
  const text = (name: string) => (typeof json[name] === 'string' ? json[name].replace(/\p{Cc}/gu, '?') : '');
  const seconds = (name: string, usual: number, most: number) => {
    const given = Number(json[name]);
    return given > 0 ? Math.min(given, most) : usual;
  };
  const verificationUri = text('verification_uri');
  return {
    deviceCode: text('device_code'),
    intervalMs: seconds('interval', 5, LONGEST_INTERVAL) * 1000,
    prompt: {
      userCode: text('user_code'),
      verificationUri,
      verificationUriComplete: text('verification_uri_complete') || verificationUri,
      expiresAt: now() + seconds('expires_in', 600, LONGEST_CODE),
    },
  };
}

function showOnStandardError({ verificationUri, userCode }: DevicePrompt): void {
  process.stderr.write(inert(`Open ${verificationUri}\nand enter ${userCode}\n`));
}
