import { Agent, type createServer, request } from 'node:http';
import { Worker } from 'node:worker_threads';
import { type Contestant, rate } from './refreshing.ts';

/** A no-op server called from the same process: the limit of the machine at this moment. */
export async function echo(callers: number): Promise<Contestant> {
  const worker = new Worker(`(${serve})(require('node:http'), require('node:worker_threads'))`, { eval: true });
  const port = await new Promise<number>((resolve) => worker.once('message', resolve));
  const agent = new Agent({ keepAlive: true, maxSockets: callers });
  const once = () =>
    new Promise<void>((resolve, reject) => {
      const asked = request({ port, agent, method: 'POST', path: '/' }, (answer) => answer.resume().on('end', resolve));
      asked.on('error', reject).end('{"refresh_token":"x"}');
    });
  return {
    name: 'bare node:http echo',
    run: (milliseconds) => rate(callers, milliseconds, once),
    stop: async () => {
      agent.destroy();
      await worker.terminate();
      return '';
    },
  };
}

function serve(
  http: { createServer: typeof createServer },
  { parentPort }: typeof import('node:worker_threads'),
): void {
  const server = http.createServer((asked, answer) => asked.pipe(answer));
  server.listen(0, () => parentPort?.postMessage((server.address() as { port: number }).port));
}
