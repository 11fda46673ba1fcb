import { renderUnicodeCompact } from 'uqr';

const BRIGHT_ON_BLACK = '\u001b[97;40m';
const RESET = '\u001b[0m';

/**
 * The QR code of a verification_uri_complete as lines of text, two modules per character cell. It brings its own colours,
 * so that it scans from a terminal of either background.
 */
export function qrForTerminal(address: string): string {
  const lines = renderUnicodeCompact(address, { border: 2 }).split('\n');
  return lines.map((line) => `${BRIGHT_ON_BLACK}${line}${RESET}`).join('\n');
}
