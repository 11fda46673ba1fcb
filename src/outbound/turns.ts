/** Limits concurrency per key; others wait in order, or until their signal aborts. Resolves to a function that ends the turn. */
export function turnsOf(most: number): (key: string, signal: AbortSignal) => Promise<() => void> {
  const hosts = new Map<string, { running: number; readonly queue: (() => void)[] }>();
  return async (key, signal) => {
    const host = hosts.get(key) ?? { running: 0, queue: [] };
    hosts.set(key, host);
    if (host.running < most) host.running += 1;
    else await inTurn(host.queue, signal);
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      const next = host.queue.shift();
      if (next) next();
      else host.running -= 1;
      if (host.running === 0) hosts.delete(key);
    };
  };
}

function inTurn(queue: (() => void)[], signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const enter = () => {
      signal.removeEventListener('abort', giveUp);
      resolve();
    };
    const giveUp = () => {
      queue.splice(queue.indexOf(enter), 1);
      reject(signal.reason);
    };
    signal.addEventListener('abort', giveUp, { once: true });
    queue.push(enter);
  });
}
