// Requests whose answer is ready but not sent, the oldest first.
import type { InProgress } from './in-progress.ts';

/**
 * A list through the requests. A Set makes a new table every few dozen requests, and V8 links the former table to it. From a full
 * collection that finds requests in progress until the next one, every table stays, with its requests: 1.8 of every 16 MB.
 */
export class Unread {
  #oldest: InProgress | undefined;
  #newest: InProgress | undefined;
  #size = 0;

  get oldest(): InProgress | undefined {
    return this.#oldest;
  }

  get size(): number {
    return this.#size;
  }

  add(request: InProgress): void {
    request.isUnread = true;
    request.unreadBefore = this.#newest;
    if (this.#newest) this.#newest.unreadAfter = request;
    else this.#oldest = request;
    this.#newest = request;
    this.#size += 1;
  }

  delete(request: InProgress): void {
    if (!request.isUnread) return;
    const { unreadBefore: before, unreadAfter: after } = request;
    if (before) before.unreadAfter = after;
    else this.#oldest = after;
    if (after) after.unreadBefore = before;
    else this.#newest = before;
    request.isUnread = false;
    request.unreadBefore = undefined;
    request.unreadAfter = undefined;
    this.#size -= 1;
  }

  *[Symbol.iterator](): Generator<InProgress, void> {
    for (let request = this.#oldest; request; request = request.unreadAfter) yield request;
  }
}
