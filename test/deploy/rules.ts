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

interface Group {
  readonly name: string;
  readonly rules: readonly (Alert | Recording)[];
}

const groups = RULE_FILES.flatMap((file) => (parse(read(file)) as { groups: readonly Group[] }).groups);
const rules = groups.flatMap((group) => group.rules);

export const groupNames = groups.map(({ name }) => name);

export const alerts = rules.filter((rule): rule is Alert => 'alert' in rule);
export const recordings = rules.filter((rule): rule is Recording => 'record' in rule);
export const queries = rules.map(({ expr }) => expr);
