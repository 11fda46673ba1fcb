// Requests whose method Node's HTTP/1 parser does not know. It stops before the target, so the request line is read here.

/** What Node reports when its parser stops. */
export interface ParserError extends NodeJS.ErrnoException {
  /** The bytes that were being parsed. Earlier requests of the connection may come first. */
  readonly rawPacket?: Buffer;
  /** Where in them the parser stopped. */
  readonly bytesParsed?: number;
}

const LINE_FEED = 0x0a;
/** RFC 9112 3: a method is a token (RFC 9110 5.6.2), and a target has no whitespace. */
const REQUEST_LINE = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+ ([\x21-\x7e]+) HTTP\/1\.[01]\r?$/;

/** The target of the request. Undefined if this is no request line, or its end has not arrived. */
export function targetOf({ rawPacket, bytesParsed = 0 }: ParserError): string | undefined {
  if (!rawPacket) return undefined;
  const start = bytesParsed === 0 ? 0 : rawPacket.lastIndexOf(LINE_FEED, bytesParsed - 1) + 1;
  const end = rawPacket.indexOf(LINE_FEED, start);
  return end < 0 ? undefined : REQUEST_LINE.exec(rawPacket.toString('latin1', start, end))?.[1];
}
