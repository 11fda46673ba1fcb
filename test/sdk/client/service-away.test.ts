// A program that needs a token while the service is away, in a process of its own: it gets a failure that the README has, or the
// token if the service is there in time, and ends.
// Only in test:all: processes that are killed, and disks that are full
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import type * as client from '../../../sdk/client/src/client.ts';
import { epochSeconds } from '../../../src/core/time.ts';
import { systemRandom } from '../../../src/system.ts';
import { drawResourceServerSecret } from '../../../src/tokens/resource-server-secret.ts';
import type { Caller } from '../../e2e/caller.ts';
import { startPublic } from '../../e2e/public-service.ts';
import { clientId, type TestService } from '../../e2e/service.ts';
import { CLIENT, confirm, pairByDevice, verify } from '../../e2e/steps.ts';
import { registerWorkload, WORKLOAD_CLIENT } from '../../e2e/workload.ts';
import { freePort } from '../../free-port.ts';
import { anIntegration } from '../../samples.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { type Gate, OUTAGES, startGate } from '../outages.ts';
import { type OwnProcess, startProcess } from '../own-process.ts';
import { storePair } from './token-file.ts';
import { EXPIRED } from './token-scene.ts';

type Exports = typeof client;
/** Every way that the package exports: a new one does not compile until it has a row. */
type WayName = {
  [Name in keyof Exports]: Exports[Name] extends (of: never) => client.Way ? Name : never;
}[keyof Exports];

export interface CallOrder {
  readonly way: WayName;
  readonly wayOptions: object;
  readonly options: Omit<client.TokenSourceOptions, 'by'>;
  readonly method: keyof client.TokenSource;
  /** `timeoutSeconds` of each try. */
  readonly tries: readonly number[];
}

interface Scene {
  readonly service: TestService & { readonly issuer: string };
  readonly caller: Caller;
  readonly gate: Gate;
  /** A new file with this text. */
  readonly file: (text: string) => string;
  readonly path: () => string;
}

interface Run {
  readonly wayOptions: object;
  readonly clientId?: string;
  readonly store?: string;
}

const WAYS: Readonly<Record<WayName, (scene: Scene) => Promise<Run>>> = {
  certificate: async ({ service: { ada }, file }) => ({
    wayOptions: { certificate: file(ada.pem), key: file(ada.key) },
  }),
  assertion: async ({ service, file }) => {
    const sign = await registerWorkload(service);
    return { wayOptions: { assertion: file(await sign()) }, clientId: WORKLOAD_CLIENT };
  },
  browser: async () => ({ wayOptions: {} }),
  privateKey: async ({ service, file }) => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const keys = { from: 'file', set: JSON.stringify({ keys: [publicKey.export({ format: 'jwk' })] }) } as const;
    await service.register(anIntegration({ clientId: clientId('robot'), keys }));
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    return { wayOptions: { key: file(key) }, clientId: 'robot' };
  },
  secret: async ({ service }) => {
    const { secret, hash } = drawResourceServerSecret(systemRandom);
    const flows = { device: false, certificate: false, secret: true };
    const secrets = [{ hash, createdAt: service.now(), endsAt: epochSeconds(service.now() + 3600) }];
    await service.register(anIntegration({ clientId: clientId('gateway'), flows, secrets }));
    return { wayOptions: { secret: secret.reveal() }, clientId: 'gateway' };
  },
  device: async () => ({ wayOptions: {} }),
  stored: async ({ service, caller, path }) => {
    const { refresh_token: refreshToken } = await pairByDevice(service, caller);
    const store = path();
    storePair(store, service.issuer, { ...EXPIRED, refreshToken });
    return { wayOptions: {}, store };
  },
};

/** `get` is called in each way. */
const OTHER_METHODS: Readonly<Record<Exclude<keyof client.TokenSource, 'get'>, true>> = {
  fetch: true,
  login: true,
  revoke: true,
};

async function startScene(standIn: (typeof OUTAGES)[string]): Promise<Scene & { stop(): Promise<void> }> {
  const publicPort = await freePort();
  const service = await startPublic({}, publicPort);
  const caller = service.caller();
  const gate = await startGate(publicPort, standIn(service), service);
  const folder = temporaryFolder('client-away');
  let files = 0;
  const path = () => join(folder, `${files++}`);
  const file = (text: string) => {
    const name = path();
    writeFileSync(name, text, { mode: 0o600 });
    return name;
  };
  const stop = async () => {
    caller.close();
    await gate.close();
    await service.stop();
    rmSync(folder, { recursive: true });
  };
  return { service, caller, gate, file, path, stop };
}

type Call = Pick<CallOrder, 'way' | 'method' | 'tries'>;

function start(
  { service, path }: Scene,
  { wayOptions, clientId = CLIENT, store = path() }: Run,
  call: Call,
): OwnProcess {
  const options = { server: service.issuer, clientId, store, ca: service.authority.pem };
  const order: CallOrder = { ...call, wayOptions, options };
  return startProcess(new URL('call-process.ts', import.meta.url), order);
}

/** Due, and good for longer than a busy machine needs. */
const OLD = { obtained: -5400, expires: 600 };
/** Longer than the service is away here. */
const LONG_S = 600;
const wayNames = Object.keys(WAYS) as WayName[];
const methods = Object.keys(OTHER_METHODS) as (keyof typeof OTHER_METHODS)[];

suite('while the service is away', { concurrency: true }, () => {
  for (const [outage, standIn] of Object.entries(OUTAGES))
    suite(`it ${outage}`, { concurrency: 1 }, () => {
      let scene: Awaited<ReturnType<typeof startScene>>;
      // All at once: most of their time is waiting.
      const byWay = new Map<string, OwnProcess>();
      const byMethod = new Map<string, OwnProcess>();
      let withOldToken: OwnProcess;
      before(async () => {
        scene = await startScene(standIn);
        const { service, path } = scene;
        const runs = await Promise.all(wayNames.map(async (way) => [way, await WAYS[way](scene)] as const));
        for (const [way, run] of runs) byWay.set(way, start(scene, run, { way, method: 'get', tries: [0, LONG_S] }));
        const aPair = (age: Parameters<typeof storePair>[2]) => {
          const store = path();
          storePair(store, service.issuer, age);
          return store;
        };
        const run = await WAYS.certificate(scene);
        for (const method of methods)
          byMethod.set(
            method,
            start(scene, { ...run, store: aPair(EXPIRED) }, { way: 'certificate', method, tries: [0] }),
          );
        withOldToken = start(scene, { ...run, store: aPair(OLD) }, { way: 'certificate', method: 'get', tries: [0] });
      });
      after(async () => {
        for (const child of [...byWay.values(), ...byMethod.values(), withOldToken]) child.kill('SIGKILL');
        await scene.stop();
      });

      for (const way of wayNames)
        test(`by ${way}: get() fails with unavailable`, async () => {
          const child = byWay.get(way);
          assert.equal(await child?.next(), 'unavailable');
        });

      for (const method of methods)
        test(`a program that does not catch the failure of ${method}() ends with exit code 1`, async () => {
          const ended = await byMethod.get(method)?.ended;
          assert.equal(ended?.code, 1, ended?.errors);
          assert.match(ended?.errors ?? '', /reason: 'unavailable'/);
        });

      test('while the old token works, get() returns it, and the program ends', async () => {
        assert.equal(await withOldToken.next(), 'A1');
        assert.deepEqual(await withOldToken.ended, { code: 0, errors: '' });
      });

      suite('and is there in time', () => {
        before(() => {
          scene.service.pass(Math.max(0, Date.now() / 1000 - scene.service.now())); // programs sign by the clock of the machine
          return scene.gate.open();
        });
        for (const way of wayNames)
          test(`by ${way}: get() returns a token, and the program ends`, async () => {
            const child = byWay.get(way);
            let printed = await child?.next();
            if (way === 'device' || way === 'browser') {
              const { userCode } = printed as client.DevicePrompt;
              await confirm(scene.service, { user_code: userCode, device_code: '' });
              printed = await child?.next();
            }
            assert.deepEqual(await child?.ended, { code: 0, errors: '' });
            assert.equal((await verify(scene.caller, String(printed))).status, 200);
          });
      });
    });
});
