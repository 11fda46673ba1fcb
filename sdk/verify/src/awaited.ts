/**
 * Keeps the process alive until the promise is settled. Nothing else of a verifier does: the feed must not keep a program that has
 * ended. Without this, Node ends a program that awaits such a promise with exit code 13.
 */
export async function awaited<T>(promise: Promise<T>): Promise<T> {
  const alive = setInterval(() => undefined, 2 ** 30);
  try {
    return await promise;
  } finally {
    clearInterval(alive);
  }
}
