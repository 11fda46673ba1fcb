// The load generator, a separate process. Walks are prepared once; each slice continues where the last one stopped.
import { createSecureContext } from 'node:tls';
import type { Address } from './exchange.ts';
import type { Answer, Order } from './generator.ts';
import { runSlice } from './slice.ts';
import { makeWalk, type Walk } from './walk.ts';

const prepared = new Map<string, { walks: readonly Walk[]; address: Address; freshConnections: boolean }>();

process.on('message', (order: Order) => {
  carryOut(order).then(
    (value) => process.send?.({ value } satisfies Answer),
    (fault: Error) => process.send?.({ fault: `${order.name}: ${fault.stack}` } satisfies Answer),
  );
});

async function carryOut(order: Order): Promise<unknown> {
  if (order.do === 'prepare') {
    const { port, tls, walks, freshConnections } = order.load;
    const secure = tls && createSecureContext({ ca: tls.authority, cert: tls.certificate, key: tls.key });
    prepared.set(order.name, { walks: walks.map(makeWalk), address: { port, secure }, freshConnections });
    return undefined;
  }
  const load = prepared.get(order.name);
  if (!load) throw new Error('not prepared');
  if (order.do === 'report') return load.walks.flatMap((walk) => walk.chains);
  return runSlice(load.walks, { ...load, seconds: order.seconds, warmUpSeconds: order.warmUpSeconds });
}
