// The three ways in: a dry run, a TLS handshake with the service's own settings, and a header from a listed proxy. All
// cases share one listener of each kind; the path of the request names the case.
import { Agent, request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type FastifyInstance, type FastifyRequest, fastify } from 'fastify';
import { connectionReader } from '../../../src/doors/caller/connection.ts';
import { presentedReader } from '../../../src/doors/caller/presented-certificate.ts';
import { tlsOptions } from '../../../src/front/tls.ts';
import { writePem } from '../../../src/pki/der/pem.ts';
import { CertificateJudge } from '../../../src/pki/judge/certificate-judge.ts';
import { type Explanation, explainCertificate } from '../../../src/pki/judge/explain.ts';
import { readRevocationList } from '../../../src/pki/revocation/crl.ts';
import { readOcspResponse } from '../../../src/pki/revocation/ocsp.ts';
import { makeAuthority } from '../../authority.ts';
import { NOW, worded } from '../approved.ts';
import { type Case, ROOT } from './case.ts';

export interface Doors {
  handshake(tried: Case): Promise<string>;
  header(tried: Case): Promise<string>;
  close(): Promise<void>;
}

const explained = new Map<Case, Explanation>();

/** Explained once: several tests look at all cases. */
export function explain(tried: Case): Explanation {
  const known = explained.get(tried) ?? explainAnew(tried);
  explained.set(tried, known);
  return known;
}

function explainAnew({ chain, issuers, lists = [], answer }: Case): Explanation {
  const evidence = {
    lists: lists.map(readRevocationList).flatMap((read) => (read.ok ? [read.value] : [])),
    responses: (answer ? [readOcspResponse(answer)] : []).flatMap((read) => (read.ok ? [read.value] : [])),
  };
  return explainCertificate({ chain, issuers, evidence, now: NOW });
}

export function dryRun(tried: Case): string {
  const { accepted, identity, refusal } = explain(tried);
  if (accepted) return `accepted ${identity?.name}`;
  return refusal?.rule ? `${refusal.reason}: ${refusal.rule}` : `${refusal?.reason}`;
}

export async function openDoors(cases: readonly Case[]): Promise<Doors> {
  const host = makeAuthority({ name: 'Host' }).issue({ commonName: 'localhost' });
  const files = { certificate: host.pem, key: host.key, clientCertificates: 'request', issuers: [ROOT.pem] } as const;
  const tls = tlsOptions(files, 10_000);
  const secure = fastify({ https: tls }) as unknown as FastifyInstance;
  const plain = fastify({ http: { maxHeaderSize: 256 * 1024 } });
  serve(secure, cases, []);
  serve(plain, cases, ['127.0.0.1']);
  await Promise.all([secure, plain].map((app) => app.listen({ host: '127.0.0.1', port: 0 })));
  return {
    handshake: (tried) => askOverTls(portOf(secure), cases.indexOf(tried), tried),
    header: (tried) => askByHeader(portOf(plain), cases.indexOf(tried), tried),
    close: async () => {
      KEPT_ALIVE.destroy();
      await Promise.all([secure.close(), plain.close()]);
    },
  };
}

function portOf({ server }: FastifyInstance): number {
  return (server.address() as AddressInfo).port;
}

function serve(app: FastifyInstance, cases: readonly Case[], proxies: readonly string[]): void {
  const presented = presentedReader({ readConnection: connectionReader(proxies), header: 'rfc9440' });
  app.get('/:number', async (request: FastifyRequest) => {
    const tried = cases[Number((request.params as { number: string }).number)];
    if (!tried) return JSON.stringify('no such case');
    return JSON.stringify(worded(await judgeOf(tried).judgePresented(presented(request), tried.issuers)));
  });
}

function judgeOf({ lists = [], answer }: Case): CertificateJudge {
  const fetch = async () => (answer ? new Response(new Uint8Array(answer)) : new Response('', { status: 503 }));
  const judge = new CertificateJudge({ now: () => NOW, fetch });
  judge.revocation.useFiles(lists);
  return judge;
}

// Weak certificates must reach our rules instead of failing in the client.
const LENIENT = { rejectUnauthorized: false, ciphers: 'DEFAULT:@SECLEVEL=0', minVersion: 'TLSv1.2' } as const;

function askOverTls(port: number, number: number, { chain, key }: Case): Promise<string> {
  const cert = chain.map(writePem).join('');
  return new Promise((resolve, reject) => {
    const options = { ...LENIENT, host: '127.0.0.1', port, path: `/${number}`, cert, key, agent: false } as const;
    const request = requestTls(options, (response) => void readJson(response).then(resolve, reject));
    request.on('error', reject);
    request.end();
  });
}

const KEPT_ALIVE = new Agent({ keepAlive: true });

function askByHeader(port: number, number: number, { chain }: Case): Promise<string> {
  const [leaf = '', ...above] = chain.map((der) => `:${Buffer.from(der).toString('base64')}:`);
  const headers = { 'client-cert': leaf, ...(above.length > 0 && { 'client-cert-chain': above.join(', ') }) };
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path: `/${number}`, headers, agent: KEPT_ALIVE };
    const request = requestPlain(options, (response) => void readJson(response).then(resolve, reject));
    request.on('error', reject);
    request.end();
  });
}

async function readJson(response: AsyncIterable<unknown>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const said: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
  return typeof said === 'string' ? said : JSON.stringify(said);
}
