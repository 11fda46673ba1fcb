import { type DestinationStream, pino } from 'pino';
import type { Log } from './log.ts';

/** What a line about a request may hold: a closed list, so that there is nothing in it to search for secrets. */
export interface RequestLine {
  readonly id: string;
  readonly operation: string;
  readonly outcome: string;
  readonly reason?: string;
  readonly rule?: string;
  readonly clientId?: string;
  readonly identityId?: string;
  readonly grantId?: string;
  readonly status: number;
  readonly ms: number;
  readonly address: string;
}

export type TellRequest = (level: 'debug' | 'info' | 'error', line: RequestLine) => void;

/** Every request writes one, and the log's own way through lists of paths and names costs five times as much. */
export function requestLines(log: Log, milliseconds: () => number): TellRequest {
  const stream = (log as unknown as Record<symbol, DestinationStream>)[pino.symbols.streamSym] as DestinationStream;
  // Requests of the same millisecond share its text.
  let time = { at: 0, text: '' };
  return (level, line) => {
    if (!log.isLevelEnabled(level)) return;
    const at = milliseconds();
    if (at !== time.at) time = { at, text: new Date(at).toISOString() };
    stream.write(textOf(level, time.text, line));
  };
}

function textOf(level: string, time: string, line: RequestLine): string {
  const { id, operation, outcome, reason, rule, clientId, identityId, grantId, status, ms, address } = line;
  let text = `{"level":"${level}","time":"${time}","id":${quote(id)},"operation":"${operation}","outcome":"${outcome}"`;
  if (reason !== undefined) text += `,"reason":"${reason}"`;
  if (rule !== undefined) text += `,"rule":${quote(rule)}`;
  if (clientId !== undefined) text += `,"clientId":${quote(clientId)}`;
  if (identityId !== undefined) text += `,"identityId":${quote(identityId)}`;
  if (grantId !== undefined) text += `,"grantId":"${grantId}"`;
  return `${text},"status":${status},"ms":${ms},"address":${quote(address)},"msg":"request"}\n`;
}

function quote(text: string): string {
  return JSON.stringify(text);
}
