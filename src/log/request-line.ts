import { type DestinationStream, pino } from 'pino';
import type { Log } from './log.ts';

/** What a line about a request may hold: a closed list, so that there is nothing in it to search for secrets. */
export interface ToldRequest {
  /** Of our own making, as is the id of a grant: nothing in them needs quoting. */
  readonly id: string;
  readonly status: number;
  readonly ms: number;
  readonly address: string;
}

export interface ToldStory {
  readonly operation: string;
  readonly outcome: string;
  readonly reason?: string | undefined;
  readonly rule?: string | undefined;
  readonly clientId?: string | undefined;
  readonly identityId?: string | undefined;
  readonly grantId?: string | undefined;
}

export type TellRequest = (level: 'debug' | 'info' | 'error', request: ToldRequest, story: ToldStory) => void;

/** Every request writes one, and the log's own way through lists of paths and names costs five times as much. */
export function requestLines(log: Log, milliseconds: () => number): TellRequest {
  const stream = (log as unknown as Record<symbol, DestinationStream>)[pino.symbols.streamSym] as DestinationStream;
  // Requests of the same millisecond share its text.
  let time = { at: 0, text: '' };
  return (level, request, story) => {
    if (!log.isLevelEnabled(level)) return;
    const at = milliseconds();
    if (at !== time.at) time = { at, text: new Date(at).toISOString() };
    stream.write(textOf(level, time.text, request, story));
  };
}

function textOf(level: string, time: string, { id, status, ms, address }: ToldRequest, story: ToldStory): string {
  const { operation, outcome, reason, rule, clientId, identityId, grantId } = story;
  let text = `{"level":"${level}","time":"${time}","id":"${id}","operation":"${operation}","outcome":"${outcome}"`;
  if (reason !== undefined) text += `,"reason":"${reason}"`;
  if (rule !== undefined) text += `,"rule":${quote(rule)}`;
  if (clientId !== undefined) text += `,"clientId":${quote(clientId)}`;
  if (identityId !== undefined) text += `,"identityId":${quote(identityId)}`;
  if (grantId !== undefined) text += `,"grantId":"${grantId}"`;
  return `${text},"status":${status},"ms":${ms},"address":${quote(address)},"msg":"request"}\n`;
}

/** Text that JSON writes as it is: nearly all of it. */
const PLAIN = /^[ !#-[\]-~]*$/;

function quote(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}
