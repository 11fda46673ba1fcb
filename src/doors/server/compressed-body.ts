import type { IncomingHttpHeaders } from 'node:http';

const COMPRESSIONS = ['gzip', 'x-gzip', 'deflate', 'br', 'zstd', 'compress', 'x-compress'];

/** Other values of Content-Encoding are ignored: some clients put a charset there. */
export function isCompressed({ 'content-encoding': encoding }: IncomingHttpHeaders): boolean {
  if (encoding === undefined) return false;
  return encoding.split(',').some((coding) => COMPRESSIONS.includes(coding.trim().toLowerCase()));
}
