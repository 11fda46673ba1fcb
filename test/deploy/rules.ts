// The rules of deploy/prometheus.
import { parse } from 'yaml';
import { read } from '../house/sources.ts';

export interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook_url: string };
}

export interface Recording {
  readonly record: string;
  readonly expr: string;
}

export const RULE_FILES = ['deploy/prometheus/alerts.yml', 'deploy/prometheus/slo.yml'];

const rules = RULE_FILES.flatMap((file) => {
  const { groups } = parse(read(file)) as { groups: readonly { rules: readonly (Alert | Recording)[] }[] };
  return groups.flatMap((group) => group.rules);
});

export const alerts = rules.filter((rule): rule is Alert => 'alert' in rule);
export const recordings = rules.filter((rule): rule is Recording => 'record' in rule);
export const queries = rules.map(({ expr }) => expr);
