// What a page tells a newcomer to do, in a folder like that of a fresh clone: commands as they are printed, with free ports, and with the
// sources and packages of this checkout. `npm run lab -- rooms` runs the same pages with git, npm and a registry.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { commandEnvironment, TESSERA } from '../cli/command.ts';
import { decisionOf } from '../doors/pages/asking-program.ts';
import { Visitor } from '../doors/pages/visitor.ts';
import { eventually } from '../eventually.ts';
import { freePort } from '../free-port.ts';
import { blocksOf } from '../house/mentions.ts';
import { ROOT } from '../house/sources.ts';
import { installPacked } from '../sdk/packed.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };

/** The blocks of a page in one language. */
export function blocksIn(path: string, language: string): string[] {
  const blocks = blocksOf({ path, text: readFileSync(join(ROOT, path), 'utf8') });
  return blocks.filter((block) => block.language === language).map(({ text }) => text);
}

/** The password of ada, which the first `npm start` prints. */
export function passwordIn(printed: string): string {
  return /shown this once: (\S+)/.exec(printed)?.[1] ?? '';
}

/** The person opens what an agent printed, signs in as ada and confirms, and the browser follows the redirect. */
export async function confirmPrinted(
  printed: string,
  { checkout, password }: { readonly checkout: string; readonly password: string },
): Promise<void> {
  const [address = ''] = /^https:.+$/m.exec(printed) ?? [];
  const { origin: url } = new URL(address);
  const ada = new Visitor({ url, authority: readFileSync(join(checkout, 'data/authority.crt'), 'utf8') });
  assert.equal((await ada.signIn('ada', password)).status, 303);
  const { text } = await ada.get(address.slice(url.length));
  const { headers } = await ada.post('/oauth2/authorize', decisionOf(text, 'confirm'));
  await fetch(headers.location ?? '');
}

/** A program of a page, in the background. */
export interface Background {
  /** What it has printed. */
  readonly printed: () => string;
  readonly ended: Promise<unknown>;
  readonly stop: () => Promise<void>;
}

export class PrintedCheckout {
  readonly folder = temporaryFolder('printed');
  readonly checkout = join(this.folder, 'tessera');
  readonly servicePort: number;
  readonly apiPort: number;
  #service: Background | undefined;
  readonly #started: Background[] = [];

  private constructor(servicePort: number, apiPort: number) {
    [this.servicePort, this.apiPort] = [servicePort, apiPort];
    mkdirSync(this.checkout);
  }

  /** After `npm start`. */
  static async open(t: TestContext): Promise<PrintedCheckout> {
    const place = new PrintedCheckout(await freePort(), await freePort());
    t.after(async () => {
      for (const each of place.#started.toReversed()) await each.stop();
      rmSync(place.folder, { recursive: true, force: true, maxRetries: 20 });
    });
    await place.restart();
    return place;
  }

  /** `npm start` again, with other settings. */
  async restart(settings?: string): Promise<void> {
    await this.#service?.stop();
    if (settings !== undefined) writeFileSync(join(this.checkout, 'settings.yaml'), settings);
    const from = settings === undefined ? '' : '--config settings.yaml ';
    const service = this.start(`tessera ${from}quickstart --set listeners.0.port=${this.servicePort}`, this.checkout);
    await eventually('the service is ready', () => service.printed().includes('THIS IS FOR TRYING'));
    this.#service ??= service;
  }

  /** That of ada. */
  get password(): string {
    return passwordIn(this.#service?.printed() ?? '');
  }

  here(text: string): string {
    return text
      .replaceAll(':8443', `:${this.servicePort}`)
      .replaceAll(/\b300[01]\b/g, `${this.apiPort}`)
      .replaceAll(/npm run --silent tessera --|^tessera(?= )/gm, `"${process.execPath}" "${TESSERA}"`);
  }

  run(commands: string, cwd = this.checkout): string {
    return execFileSync('sh', ['-e', '-c', this.here(commands)], { cwd, env: this.#environment(), encoding: 'utf8' });
  }

  start(command: string, cwd: string, more: Record<string, string> = {}): Background {
    const child = spawn('sh', ['-c', `exec env ${this.here(command)}`], {
      cwd,
      env: { ...this.#environment(), ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let printed = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        printed += text;
      });
    const ended = once(child, 'close');
    const stop = async () => {
      child.kill();
      await ended;
    };
    const started = { printed: () => printed, ended, stop };
    this.#started.push(started);
    return started;
  }

  /** Instead of `npm pack` and `npm install`, which need a registry. `lines`: as printed. */
  install(lines: string, cwd: string): void {
    for (const line of lines.trim().split('\n')) {
      const [, sdk] = /^npm pack --silent (?:\.|\.\.\/tessera)\/sdk\/(\w+)$/.exec(line) ?? [];
      const isInstall = /^(?:mkdir \S+ && cd \S+ && )?npm install (?:[@\w/-]+ )*\.\S*\/tessera-\w+-[\d.]+\.tgz$/.test(
        line,
      );
      assert.ok(sdk || isInstall || /^cp -r examples\/mcp \S+ && cd \S+$/.test(line), line);
      if (sdk) installPacked(sdk, cwd);
      if (isInstall) assert.ok(line.endsWith(`-${version}.tgz`), line);
    }
    const modules = join(cwd, 'node_modules');
    const installed = readdirSync(modules);
    for (const name of readdirSync(join(ROOT, 'node_modules')))
      if (!name.startsWith('.') && name !== '@tessera' && !installed.includes(name))
        symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  }

  #environment() {
    return commandEnvironment({ HOME: this.folder });
  }
}
