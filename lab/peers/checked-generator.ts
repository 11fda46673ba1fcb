// Our load generator beside wrk, against the same echo.
import { resolve } from 'node:path';
import { writeCertificates } from '../bench/certificates.ts';
import { echo } from '../bench/contestants/echo.ts';
import type { Generator } from '../bench/generator/generator.ts';
import { CORES } from '../bench/pinned.ts';
import type { Pace } from '../bench/race.ts';
import { median } from '../quantiles.ts';
import type { PeerFigures } from './data.ts';
import { output } from './program.ts';

export async function generatorCheck(
  generator: Generator,
  folder: string,
  { seconds, warmUpSeconds, connections }: Pace,
): Promise<PeerFigures['generator']> {
  const running = await echo({ folder, tls: writeCertificates(folder) }).start();
  try {
    const load = running.load('verify', connections);
    if (!load) throw new Error('an echo answers everything');
    await generator.prepare('echo', load);
    const [request = ''] = load.walks.map((walk) => (walk.kind === 'same' ? walk.request : ''));
    const pinned = CORES.generator === undefined ? [] : ['taskset', '-c', String(CORES.generator)];
    const whole = String(Math.ceil(seconds));
    const headers = request
      .split('\r\n')
      .slice(1, -2)
      .filter((line) => !line.startsWith('Host'));
    const options = ['-t1', `-c${connections}`, `-d${whole}s`, ...headers.flatMap((header) => ['-H', header])];
    const wrk = async () => {
      const report = await output([...pinned, 'wrk', ...options, `http://127.0.0.1:${load.port}/echo`], resolve('.'));
      if (/Non-2xx/.test(report)) throw new Error('wrk was refused');
      return Number(/Requests\/sec: +([\d.]+)/.exec(report)?.[1]);
    };
    const own = async () => {
      const { requests, seconds: took } = await generator.run('echo', seconds, warmUpSeconds);
      return requests / took;
    };
    const rates = [await own(), await wrk(), await wrk(), await own()] as const;
    const check = { ours: Math.round(median([rates[0], rates[3]])), wrk: Math.round(median([rates[1], rates[2]])) };
    console.log(`our generator against an echo: ${check.ours} requests a second; wrk: ${check.wrk}`);
    return check;
  } catch (error) {
    console.log(`the generator was not checked: ${(error as Error).message}`);
    return { notChecked: (error as Error).message };
  } finally {
    await running.stop();
  }
}
