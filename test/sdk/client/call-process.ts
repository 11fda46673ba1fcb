// Calls a method of a token source, as a program that does nothing else. All tries but the last may fail; a failure of the last
// one is not caught.
import * as client from '../../../sdk/client/src/client.ts';
import type { CallOrder } from './service-away.test.ts';

const { way, wayOptions, options, method, tries }: CallOrder = JSON.parse(process.env['ORDER'] ?? '');
const print = (value: unknown) => console.log(JSON.stringify(value));
const ways = { ...client };
/** Its integration has no authorization codes. */
const otherwise = client.device({ show: print });
const by = ways[way]({ ...wayOptions, show: print, otherwise } as never);

for (const [index, timeoutSeconds] of tries.entries()) {
  const tokens = client.tokenSource({ ...options, by, timeoutSeconds });
  const called: Promise<unknown> = method === 'fetch' ? tokens.fetch(options.server) : tokens[method]();
  print(await (index < tries.length - 1 ? called.catch((failure: client.TokenFailure) => failure.reason) : called));
}
