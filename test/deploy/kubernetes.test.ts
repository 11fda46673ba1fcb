// The manifests of deploy/kubernetes: valid by the schemas of the API, consistent with each other, and with the page.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { PrometheusRule } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PrometheusRule';
import { ServiceMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/ServiceMonitor';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler';
import { Job } from 'kubernetes-models/batch/v1/Job';
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1/Ingress';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap';
import { Namespace } from 'kubernetes-models/v1/Namespace';
import { Service } from 'kubernetes-models/v1/Service';
import { parse, parseAllDocuments } from 'yaml';
import { loadConfig } from '../../src/config/load.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { MANIFESTS, type Manifest, render } from './rendered.ts';

/** Constructors of the models, which differ in the type of what they take. */
const MODELS = {
  ConfigMap,
  Deployment,
  HorizontalPodAutoscaler,
  Ingress,
  Job,
  Namespace,
  NetworkPolicy,
  PodDisruptionBudget,
  PrometheusRule,
  Service,
  ServiceMonitor,
} as unknown as Readonly<Record<string, new (data: unknown) => { validate(): void; apiVersion: string }>>;

const PAGE = readFileSync('docs/kubernetes.md', 'utf8');

function validate(manifest: Manifest): void {
  const Model = MODELS[manifest.kind];
  assert.ok(Model, `no schema for ${manifest.kind}`);
  const model = new Model(manifest);
  assert.equal(manifest.apiVersion, model.apiVersion);
  model.validate();
}

/** tessera.yaml of the config map. */
function settingsIn(manifests: readonly Manifest[]): string {
  const config = manifests.find(({ kind }) => kind === 'ConfigMap');
  assert.ok(config);
  return (config['data'] as Record<string, string>)['tessera.yaml'] ?? '';
}

function loadDefaults() {
  return loadConfig({ file: 'deploy/container/tessera.yaml', env: {}, sets: [] });
}

/** Every object inside. */
function* within(value: unknown): Generator<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield value as Record<string, unknown>;
  for (const inner of Object.values(value)) yield* within(inner);
}

const byName = (one: Manifest, other: Manifest) =>
  `${one.kind} ${one.metadata.name}`.localeCompare(`${other.kind} ${other.metadata.name}`);

const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0;

for (const overlay of ['passthrough', 'ingress']) {
  const manifests = render(overlay);
  const ofKind = (kind: string) => manifests.filter((manifest) => manifest.kind === kind);

  suite(`deploy/kubernetes/${overlay}`, () => {
    for (const manifest of manifests)
      test(`${manifest.kind} ${manifest.metadata.name} is valid by the schema of the API`, () => validate(manifest));

    test('kubectl renders the same', { skip: hasKubectl ? false : 'kubectl is not installed' }, () => {
      const text = execFileSync('kubectl', ['kustomize', join(MANIFESTS, overlay)], { encoding: 'utf8' });
      const rendered = parseAllDocuments(text).map((document) => document.toJS() as Manifest);
      assert.deepEqual(rendered.sort(byName), [...manifests].sort(byName));
    });

    test('everything is in one namespace, which admits restricted pods only', () => {
      for (const { kind, metadata } of manifests)
        assert.equal(kind === 'Namespace' ? metadata.name : metadata.namespace, 'tessera', kind);
      assert.match(JSON.stringify(ofKind('Namespace')), /enforce":"restricted"/);
    });

    test('every container has a read-only root, no capability, a foreign uid and no token of the cluster', () => {
      const pods = [...within([...ofKind('Deployment'), ...ofKind('Job')])].filter(({ containers }) => containers);
      assert.equal(pods.length, 2);
      for (const {
        automountServiceAccountToken,
        enableServiceLinks,
        securityContext,
        containers,
        initContainers = [],
      } of pods) {
        assert.deepEqual([automountServiceAccountToken, enableServiceLinks], [false, false]);
        const { runAsNonRoot, runAsUser } = securityContext as Record<string, unknown>;
        assert.deepEqual([runAsNonRoot, runAsUser], [true, 65532]);
        for (const container of [...(initContainers as object[]), ...(containers as object[])] as Record<
          string,
          unknown
        >[])
          assert.deepEqual(container['securityContext'], {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          });
      }
    });

    test('the configuration loads, and its ports, doors and paths are those of the pod', () => {
      const folder = temporaryFolder('kubernetes');
      try {
        const file = join(folder, 'tessera.yaml');
        writeFileSync(file, settingsIn(manifests));
        const { listeners, keyring, proxies } = loadConfig({ file, env: {}, sets: [] });
        const pod = JSON.stringify(ofKind('Deployment'));
        for (const { host, port, tls } of listeners) {
          assert.equal(host, '::', 'pods have IPv4 addresses, IPv6 addresses or both');
          assert.ok(pod.includes(`"containerPort":${port}`), `${port}`);
          assert.match(tls?.key ?? '', /^\/etc\/tessera\/tls\//);
        }
        assert.deepEqual(
          listeners.map(({ doors }) => doors),
          [['authsvc', 'oauth', 'pages'], ['ops']],
        );
        assert.deepEqual(keyring, { from: 'variable', name: 'TESSERA_KEYRING' });
        assert.equal(proxies.addresses.length > 0, overlay === 'ingress');
      } finally {
        rmSync(folder, { recursive: true });
      }
    });

    test('a pod has time to stop, and memory for all connections', () => {
      const { limits } = parse(settingsIn(manifests)) as { limits: { connections: number } };
      const [pod] = [...within(ofKind('Deployment'))].filter(({ containers }) => containers);
      const seconds = Number(/setTimeout\(\(\) => \{\}, (\d+)\)/.exec(JSON.stringify(pod))?.[1]) / 1000;
      const { stopNotice, stopTimeout } = loadDefaults().limits;
      assert.ok(Number(pod?.['terminationGracePeriodSeconds']) > seconds + stopNotice + stopTimeout);
      const [, mebibytes] = /"limits":\{"memory":"(\d+)Mi"\}/.exec(JSON.stringify(pod)) ?? [];
      assert.ok(Number(mebibytes) * 2 ** 20 > 180e6 + limits.connections * 91e3, 'figures of docs/scale.md');
    });

    test('the network policy admits what nodes need', () => {
      const [policy] = ofKind('NetworkPolicy');
      assert.ok(policy);
      const { egress } = policy['spec'] as { egress: { to: unknown[]; ports: { port: number }[] }[] };
      const ways = egress.flatMap(({ to, ports }) => ports.map(({ port }) => `${port} ${JSON.stringify(to)}`));
      for (const way of [/^53 .*kube-system.*169\.254\.20\.10/, /^5432 .*database/, /^4318 .*monitoring/])
        assert.ok(
          ways.some((one) => way.test(one)),
          String(way),
        );
      for (const port of [80, 443])
        assert.ok(ways.some((way) => way.startsWith(`${port} `) && /0\.0\.0\.0\/0.*::\/0/.test(way)));
    });

    test('metrics are collected as the job that the alerts name', () => {
      const [monitor] = ofKind('ServiceMonitor');
      assert.ok(monitor);
      const { jobLabel, selector } = monitor['spec'] as { jobLabel: string; selector: { matchLabels: object } };
      const service = ofKind('Service').find(({ metadata }) => metadata.name === 'tessera-ops');
      assert.ok(service);
      const { labels = {} } = service.metadata as { labels?: Record<string, string> };
      assert.deepEqual({ ...labels, ...selector.matchLabels }, labels, 'the monitor selects the service');
      assert.ok(readFileSync('deploy/prometheus/alerts.yml', 'utf8').includes(`up{job="${labels[jobLabel]}"}`));
    });

    test('every secret and config map that is used is made here or explained on the page', () => {
      const used = [...within(manifests)].flatMap((object) => [
        ...['secretKeyRef', 'configMap', 'secret'].map((key) => (object[key] as Record<string, string>)?.['name']),
        object['secretName'] as string | undefined,
      ]);
      const made = manifests.map(({ metadata }) => metadata.name);
      const names = [...new Set(used)].filter((name) => name !== undefined && !made.includes(name));
      assert.ok(names.length >= 4, names.join());
      for (const name of names) assert.ok(PAGE.includes(`\`${name}\``), `docs/kubernetes.md explains ${name}`);
    });
  });
}

test('the alerts become objects of the Prometheus operator by the command of the page', () => {
  const [, command = ''] = /```sh\n(for file in [\s\S]*?)```/.exec(PAGE) ?? [];
  const made = execFileSync('sh', ['-ec', command.replace('| kubectl apply --filename -', '; echo ---')], {
    encoding: 'utf8',
  });
  const rules = parseAllDocuments(made).map((document) => document.toJS() as Manifest | null);
  const found = rules.filter((rule) => rule !== null);
  assert.deepEqual(
    found.map(({ metadata }) => metadata.name),
    ['tessera-alerts', 'tessera-slo'],
  );
  for (const rule of found) validate(rule);
});

test('a manifest with a mistake is refused: the schemas are looked at', () => {
  const [deployment] = render('passthrough').filter(({ kind }) => kind === 'Deployment');
  assert.ok(deployment);
  assert.throws(() => validate({ ...deployment, spec: { replicas: 'three' } }));
});

test('both overlays have the same configuration, but for client certificates and the proxy', () => {
  const [through, ended] = ['passthrough', 'ingress'].map((overlay) => settingsIn(render(overlay)).split('\n'));
  const beforeProxies = ended?.slice(0, ended.indexOf('proxies:'));
  const differing = beforeProxies?.filter((line) => !through?.includes(line));
  assert.deepEqual(differing, []);
});

test('a change of what only a start reads is followed by a restart, and a configuration of one keeps its proxies', () => {
  assert.match(PAGE, /After a change of a ConfigMap[^`]*restart the nodes[\s\S]*?rollout restart deployment\/tessera/);
  assert.match(PAGE, /for `ingress` its own, \*\*with `proxies`\*\*/);
  for (const [overlay, folder] of [
    ['passthrough', 'base'],
    ['ingress', 'ingress'],
  ] as const) {
    const [copied] = parseAllDocuments(readFileSync(join(MANIFESTS, folder, 'config.yaml'), 'utf8'));
    assert.equal(settingsIn([copied?.toJS() as Manifest]), settingsIn(render(overlay)), 'the copy is the whole of it');
  }
});

test('the page explains every file', () => {
  const files = render('base').length;
  assert.ok(files >= 9);
  for (const overlay of ['base', 'passthrough', 'ingress']) assert.ok(PAGE.includes(`\`${overlay}\``), overlay);
  for (const { kind } of render('ingress')) assert.ok(PAGE.includes(kind), `docs/kubernetes.md names ${kind}`);
});
