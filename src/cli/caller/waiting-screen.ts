// What a person sees while a login waits for a confirmation in the browser. On standard error: standard output is for results.
import { renderUnicodeCompact } from 'uqr';
import type { DevicePrompt } from '../../../sdk/client/src/by/device.ts';
import { remark } from '../terminal/output.ts';

export interface WaitingScreen {
  readonly show: (prompt: DevicePrompt) => void;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  /** Clears the line that counts down. */
  end(): void;
}

export function waitingScreen(): WaitingScreen {
  const { stderr } = process;
  const interrupt = new AbortController();
  const onSignal = () => interrupt.abort();
  for (const signal of SIGNALS) process.on(signal, onSignal);
  let tick: NodeJS.Timeout | undefined;
  const show = (prompt: DevicePrompt) => {
    if (stderr.isTTY) remark(qrCode(prompt.verificationUriComplete));
    remark(`Open ${prompt.verificationUri}`);
    remark(`and enter ${prompt.userCode}`);
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

function qrCode(text: string): string {
  const lines = renderUnicodeCompact(text, { border: 2 }).split('\n');
  return lines.map((line) => COLOURS[0] + line + COLOURS[1]).join('\n');
}

function timeLeft({ expiresAt }: DevicePrompt): string {
  const seconds = Math.max(0, Math.round(expiresAt - (performance.timeOrigin + performance.now()) / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
