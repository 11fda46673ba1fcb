import { renderUnicodeCompact } from 'uqr';

/**
 * The QR code of a verification_uri_complete as lines of text, half a module per character cell. Drawn light on dark with
 * its border, so that it scans from a terminal of either background.
 */
export function qrForTerminal(address: string): string {
  return renderUnicodeCompact(address, { border: 2 });
}
