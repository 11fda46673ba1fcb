// The queries of the dashboard in deploy/grafana.
import { read } from '../house/sources.ts';

interface Dashboard {
  readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[];
}

const { panels } = JSON.parse(read('deploy/grafana/tessera.json')) as Dashboard;
export const dashboardQueries = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
