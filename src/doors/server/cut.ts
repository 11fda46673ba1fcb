// Ends a request whose caller is not waited for any longer.
import { constants } from 'node:http2';
import type { Place } from './places.ts';
import { isUnread } from './unread.ts';

/** Destroys the socket or stream of a place, without waiting for the caller to read. */
export function cut(place: Place): void {
  const { stream, visitor } = place;
  if (!stream) visitor.owner.destroy();
  // Node keeps what a closed stream had to send until the connection has sent it.
  else if (isUnread(visitor.socket)) visitor.socket.destroy();
  else if (place.isCut) stream.destroy();
  else stream.close(constants.NGHTTP2_CANCEL);
  place.isCut = true;
}
