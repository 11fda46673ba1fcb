import { type Destination, standardOutput } from './standard-output.ts';

/** From the least important to the most important. */
const LEVELS = ['trace', 'debug', 'info', 'warn', 'error'] as const;

export type Level = (typeof LEVELS)[number];
export type WriteFields = (fields: Readonly<Record<string, unknown>>, message: string) => void;

export interface Log extends Readonly<Record<Level, WriteFields>> {
  isOn(level: Level): boolean;
  /** Writes a complete line of JSON that was put together elsewhere, whatever the level. */
  writeLine(line: string): void;
}

export interface LogOptions {
  readonly level: Level | 'silent';
  readonly format: 'json' | 'pretty';
  readonly milliseconds: () => number;
  /** Standard output if absent. */
  readonly destination?: Destination;
}

/** Writes one line of JSON per event. Callers never pass secrets; fields with a secret's name are struck out all the same. */
export function makeLog({ level, format, milliseconds, ...options }: LogOptions): Log {
  const least = level === 'silent' ? LEVELS.length : LEVELS.indexOf(level);
  const isOn = (of: Level) => LEVELS.indexOf(of) >= least;
  const shown = (line: string) => (format === 'pretty' ? prettyLine(line) : line);
  const lineNow = (of: Level, ...what: Parameters<WriteFields>) =>
    lineOf(of, new Date(milliseconds()).toISOString(), ...what);
  const notice = (dropped: number) =>
    shown(lineNow('warn', { dropped }, 'lines of the log were dropped: nobody read it'));
  const { destination = standardOutput(notice) } = options;
  const writeLine = (line: string) => destination.write(shown(line));
  const writer = (of: Level): WriteFields => {
    if (!isOn(of)) return () => undefined;
    return (fields, message) => writeLine(lineNow(of, fields, message));
  };
  return {
    trace: writer('trace'),
    debug: writer('debug'),
    info: writer('info'),
    warn: writer('warn'),
    error: writer('error'),
    isOn,
    writeLine,
  };
}

function lineOf(level: Level, time: string, fields: Readonly<Record<string, unknown>>, msg: string): string {
  const text = (shown: typeof fields) => `${JSON.stringify({ level, time, ...shown, msg }, strikeOut)}\n`;
  try {
    return text(fields);
  } catch (fault) {
    // A field that refers to itself, or a BigInt. Logging never fails: the message is still worth a line.
    return text({ fields: `cannot be written: ${(fault as Error).name}` });
  }
}

const SECRET_NAMES = new Set(['authorization', 'cookie', 'access_token', 'refresh_token', 'device_code', 'password']);

function strikeOut(name: string, value: unknown): unknown {
  return SECRET_NAMES.has(name.toLowerCase()) ? '[secret]' : value;
}

/** A log line for people: time, level, message, then the other fields as name=value. */
function prettyLine(line: string): string {
  const { time, level, msg, ...rest } = JSON.parse(line) as Record<string, unknown>;
  const clock = String(time).slice(11, 23);
  const values = Object.entries(rest).map(([name, value]) => `${name}=${printed(value)}`);
  return `${clock} ${String(level).padEnd(5)} ${String(msg)}  ${values.join(' ')}\n`;
}

function printed(value: unknown): string {
  if (Array.isArray(value)) return value.map((item) => `\n    ${item}`).join('');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
