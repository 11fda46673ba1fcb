// A nightly job that runs, and five causes for which it fails: for the test of a newcomer's way.
// Every refusal is one that the service gave to the job.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { epochSeconds } from '../../../src/core/time.ts';
import { refusalCounts } from '../../../src/store/tables/figures.ts';
import { issuers } from '../../../src/store/tables/issuers.ts';
import { type Issued, makeAuthority } from '../../authority.ts';
import { registryFollows } from '../../e2e/registry-follows.ts';
import { eventually } from '../../eventually.ts';
import { put } from '../../node.ts';
import { CLIENT } from '../../samples.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { ConsoleScene, fieldsOf, PEOPLE } from './scene.ts';

/** How long a count stays. */
const KEPT = 30 * 86_400;

/** `reason`: `ok`, or why it was refused, as the log of the service says. */
interface Said {
  readonly reason: string;
  readonly refreshToken: string;
}

export interface Cause {
  /** What happened on Tuesday. */
  readonly happens: (job: NightlyJob) => Promise<void>;
  /** Why somebody is refused since. */
  readonly reason: string;
}

export class NightlyJob {
  readonly scene: ConsoleScene;
  readonly #authority = makeAuthority({ name: 'Corp CA' });
  readonly #list = join(temporaryFolder('nightly'), 'corp.crl');
  certificate: Issued = this.#authority.issue({ commonName: 'nina' });
  /** Without one, it calls with its certificate. */
  #refreshToken = '';
  #revoked: Issued | undefined;

  private constructor(scene: ConsoleScene) {
    this.scene = scene;
  }

  static async open(): Promise<NightlyJob> {
    const job = new NightlyJob(await ConsoleScene.open());
    writeFileSync(job.#list, job.#authority.crl());
    await put(job.scene.store, issuers, {
      ...{ label: 'corp', certificate: job.#authority.certificate, intermediates: [], profile: 'rfc5280' },
      ...{ identitySources: ['common-name'], identities: 'directory', enabled: true },
      revocation: { crl: 'required', ocsp: 'off', crlFiles: [job.#list], endGrants: true },
    });
    await job.runsAgain();
    return job;
  }

  async runsAgain(): Promise<void> {
    await registryFollows();
    await eventually('the job runs', async () => (await this.run()) === 'ok');
  }

  async run(): Promise<string> {
    const { reason, refreshToken } = this.#refreshToken
      ? await this.#refresh(this.#refreshToken)
      : await this.#call(this.certificate);
    if (reason === 'ok' && this.#refreshToken) this.#refreshToken = refreshToken;
    return reason;
  }

  /** Whether it runs, and not because a check was switched off: what was revoked is still refused. */
  async isRepaired(): Promise<boolean> {
    if ((await this.run()) !== 'ok') return false;
    return !this.#revoked || (await this.#call(this.#revoked)).reason === 'certificate-revoked';
  }

  /** What whoever runs the job can do. */
  renewCertificate(): void {
    this.certificate = this.#authority.issue({ commonName: 'nina' });
  }

  startAnew(): void {
    this.#refreshToken = '';
  }

  /** Something happens, and the job fails since. */
  async failBy({ happens, reason }: Cause): Promise<void> {
    const { service } = this.scene;
    service.advance(2);
    const began = await service.store.now();
    await happens(this);
    await registryFollows();
    await eventually('the job is refused', async () => (await this.run()) !== 'ok');
    assert.ok(refusalsIn(service.logged()).includes(reason), `nobody was refused: ${reason}`);
    await service.restart(); // writes what was refused, as every minute does
    await service.store.sweep(refusalCounts, epochSeconds(began + KEPT), 100); // before, until the list was read
  }

  revokeCertificate(): void {
    this.#revoked = this.certificate;
    writeFileSync(this.#list, this.#authority.crl({ number: 2, revoked: [this.certificate.serial] }));
  }

  /** Somebody has a copy of a refresh token of the job, and uses it later than the job. */
  async loseToken(): Promise<void> {
    const { refreshToken: copied } = await this.#call(this.certificate);
    this.#refreshToken = copied;
    assert.deepEqual([await this.run(), await this.run()], ['ok', 'ok']);
    this.scene.service.advance(61);
    assert.equal((await this.#refresh(copied)).reason, 'refresh-token-reused');
  }

  #call(certificate: Issued): Promise<Said> {
    return this.#send('Certificate', { scope: 'orders:read' }, certificate);
  }

  #refresh(refreshToken: string): Promise<Said> {
    return this.#send('Token', { refresh_token: refreshToken });
  }

  async #send(path: string, body: object, { pem, key }: Partial<Issued> = {}): Promise<Said> {
    const { service } = this.scene;
    const { hostname, port } = new URL(service.url);
    const options = { hostname, port, path: `/authsvc/Authorize/${path}`, method: 'POST', agent: false };
    const headers = { 'content-type': 'application/json' };
    const known = refusalsIn(service.logged()).length;
    const sent = request({ ...options, headers, ca: service.authority, ...(pem && key && { cert: pem, key }) });
    sent.end(JSON.stringify({ client_id: CLIENT, ...body }));
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    const said = (await json(answer)) as Record<string, unknown>;
    if (answer.statusCode === 200) return { reason: 'ok', refreshToken: String(said['refresh_token']) };
    // The line of a request is written after its answer.
    await eventually('the refusal is logged', async () => refusalsIn(service.logged()).length > known);
    return { reason: refusalsIn(service.logged())[known] ?? '', refreshToken: '' };
  }
}

function refusalsIn(logged: string): string[] {
  return [...logged.matchAll(/"reason":"([\w-]+)"/g)].map(([, reason = '']) => reason);
}

/** What another operator does, in the console as well. */
async function does({ scene }: NightlyJob, path: string, fields?: Record<string, string>): Promise<void> {
  const oscar = await scene.visitor('oscar');
  let form = fieldsOf((await oscar.get(path)).text);
  if (fields) form = fieldsOf((await oscar.post(path, { ...form, ...fields })).text);
  const { status, text } = await oscar.post(path, form);
  assert.equal(status, 303, text);
}

export const CAUSES = {
  'a narrowed scope': {
    happens: (job) => does(job, `/console/integrations/${CLIENT}/change`, { scope: 'stock:read' }),
    reason: 'scope-exceeds-integration',
  },
  'a disabled identity': {
    happens: (job) => does(job, `/console/identities/${encodeURIComponent(PEOPLE.nina.id)}/disable`),
    reason: 'identity-disabled',
  },
  'a withdrawn issuer': {
    happens: (job) => does(job, '/console/issuers/corp/remove'),
    reason: 'certificate-issuer-not-approved',
  },
  /** Whoever runs the job needs another certificate; the console says so, and tries the new one. */
  'a revoked certificate': { happens: async (job) => job.revokeCertificate(), reason: 'certificate-revoked' },
  /** Whoever had a copy of the token is shut out, and so is the job, until it calls with its certificate again. */
  'a reused refresh token': { happens: (job) => job.loseToken(), reason: 'refresh-token-reused' },
} satisfies Readonly<Record<string, Cause>>;
