// What a person sees while a login waits for a confirmation in the browser. On standard error: standard output is for results.
import type { DevicePrompt } from '../by/device.ts';
import { now } from '../tokens.ts';
import type { Terminal } from './terminal.ts';

export interface WaitingScreen {
  readonly show: (prompt: DevicePrompt) => Promise<void>;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  /** Clears the line that counts down. */
  end(): void;
}

export function waitingScreen({ note, qrCode }: Terminal): WaitingScreen {
  const { stderr } = process;
  const interrupt = new AbortController();
  const onSignal = () => interrupt.abort();
  for (const signal of SIGNALS) process.on(signal, onSignal);
  let tick: NodeJS.Timeout | undefined;
  const show = async (prompt: DevicePrompt) => {
    if (stderr.isTTY && qrCode) stderr.write(`${coloured(await qrCode(prompt.verificationUriComplete))}\n`);
    note(`Open ${prompt.verificationUri}`);
    note(`and enter ${prompt.userCode}`);
    if (!stderr.isTTY) return;
    const draw = () => stderr.write(`\r${CLEAR}Waiting for you to confirm, ${timeLeft(prompt)} left. Ctrl-C ends it.`);
    draw();
    tick = setInterval(draw, 1000);
  };
  const end = () => {
    for (const signal of SIGNALS) process.off(signal, onSignal);
    if (tick) stderr.write(`\r${CLEAR}`);
    clearInterval(tick);
  };
  return { show, signal: interrupt.signal, end };
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
const CLEAR = '\u001b[K';
/** White on black in any colour scheme: cameras expect dark on light. */
const COLOURS = ['\u001b[97;40m', '\u001b[0m'] as const;

function coloured(code: string): string {
  return code.replace(/^.*$/gm, (line) => COLOURS[0] + line + COLOURS[1]);
}

function timeLeft({ expiresAt }: DevicePrompt): string {
  const seconds = Math.max(0, Math.round(expiresAt - now()));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
