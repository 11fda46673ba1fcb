import { type DestinationStream, type Logger, pino } from 'pino';
import { prettyLine } from './pretty.ts';
import { standardOutput } from './standard-output.ts';

export type Log = Logger;

export interface LogOptions {
  readonly level: string;
  readonly format: 'json' | 'pretty';
  /** Standard output, unless said otherwise. */
  readonly destination?: DestinationStream;
}

/**
 * One JSON line per thing worth knowing. Nothing secret is ever handed to it; should a header or a body slip in all the
 * same, the paths below are struck out.
 */
export function makeLog({ level, format, destination = standardOutput() }: LogOptions): Log {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: SECRET_PATHS, censor: '[secret]' },
  };
  return pino(options, format === 'pretty' ? { write: (line) => destination.write(prettyLine(line)) } : destination);
}

const SECRET_NAMES = ['authorization', 'cookie', 'access_token', 'refresh_token', 'device_code', 'password'];
const SECRET_PATHS = SECRET_NAMES.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);
