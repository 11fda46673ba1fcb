// The dry run against the installation: its approved issuers, its directory and its integrations.
import { readFileSync } from 'node:fs';
import { accept, type Outcome } from '../core/outcome.ts';
import { type CertifiedCaller, decideCertificate } from '../core/rules/certificate.ts';
import type { EpochSeconds } from '../core/time.ts';
import { localDirectory } from '../directory/local/local-directory.ts';
import { foreseeCaller } from '../operations/grant/identify-caller.ts';
import { systemFetch } from '../outbound/system-fetch.ts';
import { readPemOrDer } from '../pki/der/pem.ts';
import { CertificateJudge } from '../pki/judge/certificate-judge.ts';
import { type Explanation, explainJudgement } from '../pki/judge/explain.ts';
import type { Judgement } from '../pki/judge/judge.ts';
import { mappingStep } from '../pki/judge/mapping-step.ts';
import { FollowedRegistry } from '../store/registry.ts';
import { systemClock } from '../system.ts';
import type { Workplace } from './terminal/workplace.ts';

export interface CallerExplanation extends Explanation {
  /** The identity that the certificate was mapped to, where a directory was at hand. */
  readonly identityId?: string;
  /** What each registered integration would say, asked for its whole scope. */
  readonly reach?: readonly { readonly clientId: string; readonly refusal?: string }[];
}

/** As a request would be judged now: lists are read and fetched, responders asked; nothing is written. */
export async function explainByStore(
  files: readonly Uint8Array[],
  { crl = [], at }: { readonly crl?: readonly string[]; readonly at?: EpochSeconds },
  { store }: Workplace,
): Promise<CallerExplanation> {
  const registry = new FollowedRegistry(store);
  await registry.refresh();
  const now = at ?? systemClock.now();
  const judge = new CertificateJudge({ fetch: systemFetch(), now: () => now });
  const lists = registry.issuers.flatMap(({ revocation }) => revocation.crlFiles);
  judge.revocation.useFiles([...new Set([...lists, ...crl])].map((path) => readFileSync(path)));
  const chain = files.flatMap((file) => readPemOrDer(file, 'CERTIFICATE'));
  const judgement = await judge.judge(chain, registry.issuers);
  const explanation = explainJudgement({ chain, now }, judgement);
  const directory = localDirectory(store);
  return judgement.outcome.ok
    ? explainMapping(explanation, judgement.outcome.value, registry, { store, directory })
    : explanation;
}

async function explainMapping(
  { at, accepted, issuer, identity, presented, steps: before }: Explanation,
  certificate: Extract<Judgement['outcome'], { ok: true }>['value'],
  registry: FollowedRegistry,
  ports: Parameters<typeof foreseeCaller>[1],
): Promise<CallerExplanation> {
  const caller = await foreseeCaller(certificate, ports);
  const mapped = caller.ok ? accept(caller.value.identity) : caller;
  const steps = [...before, mappingStep(certificate, mapped)];
  const explanation = { at, presented, steps, ...(issuer && { issuer }), ...(identity && { identity }) };
  if (!caller.ok) return { ...explanation, accepted: false, refusal: { reason: caller.refusal.reason } };
  return { ...explanation, accepted, identityId: caller.value.identity.id, reach: reachOf(caller, registry) };
}

function reachOf(
  caller: Outcome<CertifiedCaller>,
  { integrations }: FollowedRegistry,
): CallerExplanation['reach'] & {} {
  return integrations.map((integration) => {
    const { clientId, scope } = integration;
    const decision = decideCertificate({ clientId, caller, integration, scope: scope.text });
    return decision.ok ? { clientId } : { clientId, refusal: decision.refusal.reason };
  });
}
