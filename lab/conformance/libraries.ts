// OAuth libraries of other languages, unmodified, with everything that docs/libraries.md says was
// tried. Each is downloaded; one whose tools or packages cannot be had is skipped, and counted.
import { execFileSync, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { ClientId } from '../../src/core/integration.ts';
import type { ResourceServerId } from '../../src/core/resource-server.ts';
import { epochSeconds } from '../../src/core/time.ts';
import { systemClock, systemRandom } from '../../src/system.ts';
import { drawResourceServerSecret } from '../../src/tokens/resource-server-secret.ts';
import { AGENT, jsonOf, Program } from '../../test/doors/pages/asking-program.ts';
import { McpScene } from '../../test/e2e/mcp-scene.ts';
import { anIntegration } from '../../test/samples.ts';
import { temporaryFolder } from '../../test/temporary-folder.ts';

const SOURCES = join(import.meta.dirname, 'libraries');
const MACHINES = ['private_key_jwt', 'client_secret_basic', 'client_secret_post'].flatMap((how) => [
  how,
  `exchange, ${how}`,
]);

interface Library {
  /** Programs that must be installed. */
  readonly needs: readonly string[];
  /** Downloads what it needs into a folder, and returns the command that runs it. */
  readonly prepare: (folder: string, authority: string) => readonly [string, ...string[]];
  readonly steps: readonly string[];
}

const LIBRARIES: Readonly<Record<string, Library>> = {
  authlib: {
    needs: ['python3'],
    prepare: (folder) => {
      run('python3', ['-m', 'venv', folder]);
      run(join(folder, 'bin/pip'), ['install', '--quiet', 'authlib==1.9.5', 'requests==2.34.2']);
      return [join(folder, 'bin/python'), join(SOURCES, 'with_authlib.py')];
    },
    steps: [...MACHINES, 'code', 'refresh', 'revocation'],
  },
  'x-oauth2': {
    needs: ['go'],
    prepare: (folder) => {
      run('go', ['build', '-o', join(folder, 'program'), '.'], join(SOURCES, 'go'));
      return [join(folder, 'program')];
    },
    steps: [...MACHINES, 'code', 'refresh'],
  },
  nimbus: {
    needs: ['java', 'mvn'],
    prepare: javaProgram('Nimbus'),
    steps: [...MACHINES, 'code', 'refresh', 'revocation'],
  },
  spring: { needs: ['java', 'mvn'], prepare: javaProgram('Spring'), steps: MACHINES },
};

function javaProgram(name: string): Library['prepare'] {
  return (folder, authority) => {
    const [classes, trusted] = [join(folder, 'classes'), join(folder, 'trusted.p12')];
    run('mvn', ['-q', '-B', 'dependency:build-classpath', `-Dmdep.outputFile=${classes}`], join(SOURCES, 'java'));
    const store = ['-keystore', trusted, '-storetype', 'PKCS12', '-storepass', 'changeit'];
    run('keytool', ['-importcert', '-noprompt', '-file', authority, ...store]);
    const trust = [`-Djavax.net.ssl.trustStore=${trusted}`, '-Djavax.net.ssl.trustStorePassword=changeit'];
    return ['java', ...trust, '-cp', readFileSync(classes, 'utf8').trim(), join(SOURCES, 'java', `${name}.java`)];
  };
}

const PATH = `${process.env['PATH']}:/usr/local/go/bin`;

/** Throws what it printed. */
function run(program: string, args: readonly string[], cwd = SOURCES): void {
  execFileSync(program, args, { cwd, env: { ...process.env, PATH }, stdio: 'pipe' });
}

/** Exit code: 0 if none failed. */
export async function runLibraries(names: readonly string[]): Promise<number> {
  const unknown = names.filter((name) => !(name in LIBRARIES));
  if (unknown.length > 0) throw new Error(`no such library: ${unknown.join(', ')}`);
  const stage = await Stage.open();
  const counts = { passed: 0, failed: 0, skipped: 0 };
  try {
    for (const [name, library] of Object.entries(LIBRARIES)) {
      if (names.length > 0 && !names.includes(name)) continue;
      const { is, why } = await tried(library, stage);
      counts[is] += 1;
      console.log(`${is === 'passed' ? 'passed ' : is.toUpperCase()} ${name}: ${why}`);
    }
  } finally {
    await stage.close();
  }
  console.log(`${counts.passed} libraries passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  return counts.failed === 0 ? 0 : 1;
}

async function tried(
  { needs, prepare, steps }: Library,
  stage: Stage,
): Promise<{ is: 'passed' | 'failed' | 'skipped'; why: string }> {
  const missing = needs.filter((program) => !isInstalled(program));
  if (missing.length > 0) return { is: 'skipped', why: `there is no ${missing.join(' and no ')} on this machine` };
  let command: readonly [string, ...string[]];
  try {
    command = prepare(temporaryFolder('library'), stage.authority);
  } catch (fault) {
    return { is: 'skipped', why: `its packages cannot be had: ${(fault as Error).message.trim()}` };
  }
  const { done, errors } = await stage.converse(command);
  if (done.join() === steps.join()) return { is: 'passed', why: done.join('; ') };
  return { is: 'failed', why: `did ${done.join('; ') || 'nothing'}\n${errors}` };
}

function isInstalled(program: string): boolean {
  try {
    run('sh', ['-c', `command -v ${program}`]);
    return true;
  } catch {
    return false;
  }
}

/** A service with a person, an agent that she signs in, and an API that authenticates and exchanges the agent's tokens. */
class Stage {
  readonly #scene: McpScene;
  readonly #order: Readonly<Record<string, string>>;
  readonly authority: string;

  private constructor(scene: McpScene, order: Readonly<Record<string, string>>) {
    [this.#scene, this.#order, this.authority] = [scene, order, join(scene.folder, 'authority.pem')];
  }

  static async open(): Promise<Stage> {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const { secret, hash } = drawResourceServerSecret(systemRandom);
    const now = systemClock.now();
    const kid = 'robot-1';
    const robot = anIntegration({
      clientId: 'robot' as ClientId,
      flows: { device: false, certificate: false, secret: true },
      keys: { from: 'file', set: JSON.stringify({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid }] }) },
      secrets: [{ hash, createdAt: now, endsAt: epochSeconds(now + 3600) }],
      resourceServer: 'orders-mcp' as ResourceServerId,
      tokenEndpointAudience: true, // what most of these libraries send
    });
    const agent = { ...AGENT, exchange: [{ integration: robot.clientId, scope: 'orders:read' }] };
    const scene = await McpScene.open({ integrations: [agent, robot] });
    const program = new Program(scene.service);
    const code = (await program.decided(scene.ada)).get('code');
    const { access_token: subject = '' } = jsonOf(await program.redeem(code));
    const key = join(scene.folder, 'robot.pem');
    writeFileSync(key, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
    return new Stage(scene, {
      ...{ issuer: scene.service.url, authority: join(scene.folder, 'authority.pem'), subject },
      ...{ clientId: robot.clientId, secret: secret.reveal(), key, kid },
      jwk: JSON.stringify({ ...privateKey.export({ format: 'jwk' }), kid }),
      ...{ codeClientId: agent.clientId, redirectUri: 'http://127.0.0.1:47113/callback' },
    });
  }

  /** Runs a program: the person confirms what it opens. Returns the steps that ended with the scope that was asked for. */
  async converse([program, ...args]: readonly [string, ...string[]]): Promise<{ done: string[]; errors: string }> {
    const env = { ...process.env, PATH, REQUESTS_CA_BUNDLE: this.authority, ORDER: JSON.stringify(this.#order) };
    const child = spawn(program, args, { env, stdio: 'pipe' });
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors += text;
    });
    const done: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      const { open, how, scope = 'orders:read' } = JSON.parse(line) as Record<string, string>;
      if (open) child.stdin.write(`${await this.#scene.confirm(open)}\n`);
      if (how && scope === 'orders:read') done.push(how);
    }
    return { done, errors };
  }

  close(): Promise<void> {
    return this.#scene.close();
  }
}
