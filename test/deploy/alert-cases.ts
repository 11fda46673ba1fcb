// For every alert: values of its metrics for which it fires, and values for which it does not. They are written as promtool
// reads them: '0+60x20' is 20 steps of 60, '5x20' is twenty times 5.

export interface AlertCase {
  readonly alert: string;
  /** For a second case of an alert. */
  readonly name?: string;
  /** The labels of the alert, beside its severity. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly at: string;
  /** The length of a step; a minute if absent. */
  readonly step?: string;
  readonly fires: Readonly<Record<string, string>>;
  readonly quiet: Readonly<Record<string, string>>;
}

const NODE = { instance: 'a' };

function requests(reason: string, outcome = 'refused'): string {
  return `tessera_requests_total{instance="a",operation="refresh",outcome="${outcome}",reason="${reason}"}`;
}

function duration(le: string, operation = 'refresh'): string {
  return `tessera_request_duration_seconds_bucket{instance="a",operation="${operation}",le="${le}"}`;
}

function commits(le: string): string {
  return `tessera_store_commit_duration_seconds_bucket{instance="a",le="${le}"}`;
}

/** A rate of refusals that is above the threshold, and none. */
function refused(alert: string, reason: string, at: string): AlertCase {
  return { alert, at, fires: { [requests(reason)]: '0+120x60' }, quiet: { [requests('grant-revoked')]: '0+120x60' } };
}

/** Fires with the first request of its kind, and not for one long ago. */
function rare(alert: string, reason: string, outcome = 'refused'): AlertCase {
  return {
    alert,
    labels: { ...NODE, operation: 'refresh', outcome, reason },
    at: '50m',
    fires: { [requests(reason, outcome)]: `${'_ '.repeat(45)}1x20` },
    quiet: { [requests(reason, outcome)]: '1x60' },
  };
}

/** Fires or not by the values of one series. */
function bySeries(alert: string, at: string, series: string, fires: string, quiet: string, labels = NODE): AlertCase {
  return { alert, labels, at, fires: { [series]: fires }, quiet: { [series]: quiet } };
}

function byMetric(alert: string, at: string, metric: string, fires: string, quiet: string): AlertCase {
  return bySeries(alert, at, `${metric}{instance="a"}`, fires, quiet);
}

/** Of 10,000 requests in each step, some fail. */
function failing(perStep: number, steps: number): Readonly<Record<string, string>> {
  return {
    [requests('none', 'accepted')]: `0+${10_000 - perStep}x${steps}`,
    [requests('overloaded')]: `0+${perStep}x${steps}`,
    'tessera_requests_total{instance="a",operation="ops",outcome="accepted",reason="none"}': `0+100000x${steps}`,
  };
}

/** Of 1,000 requests in each step, some are slow. */
function slow(perStep: number, steps: number): Readonly<Record<string, string>> {
  return {
    [duration('0.25')]: `0+${1000 - perStep}x${steps}`,
    'tessera_request_duration_seconds_count{instance="a",operation="refresh"}': `0+1000x${steps}`,
    'tessera_request_duration_seconds_count{instance="a",operation="none"}': `0+100000x${steps}`,
    // Streams are open for minutes: none is in the bucket of 250 ms.
    'tessera_request_duration_seconds_count{instance="a",operation="follow-revocations"}': `0+500x${steps}`,
  };
}

/** No node is left, or the job has another name: Prometheus has no series at all, instead of one that is 0. */
export const NOTHING_SCRAPED: readonly AlertCase[] = [
  {
    alert: 'TesseraDown',
    name: 'TesseraDown without any node',
    labels: { job: 'tessera' },
    at: '5m',
    fires: { 'up{job="other",instance="b"}': '1x10' },
    quiet: { 'up{job="tessera",instance="a"}': '1x10' },
  },
  {
    alert: 'TesseraNotReady',
    name: 'TesseraNotReady without any node',
    at: '5m',
    fires: { 'up{job="other",instance="b"}': '1x10' },
    quiet: { 'tessera_ready{instance="a"}': '1x10' },
  },
];

/** Half an hour each. */
const STEPS = 3 * 48 + 4;

export const ALERT_CASES: readonly AlertCase[] = [
  {
    alert: 'TesseraDown',
    labels: { ...NODE, job: 'tessera' },
    at: '5m',
    fires: { 'up{job="tessera",instance="a"}': '1 0x10' },
    quiet: { 'up{job="tessera",instance="a"}': '1x10', 'up{job="other",instance="b"}': '0x10' },
  },
  byMetric('TesseraNotReady', '5m', 'tessera_ready', '0x10', '1x10'),
  byMetric(
    'TesseraCertificateExpired',
    '5m',
    'tessera_server_certificate_expires_timestamp_seconds',
    '240x10',
    '301x10',
  ),
  refused('TesseraStoreUnavailable', 'outcome-unknown', '10m'),
  refused('TesseraOverloaded', 'overloaded', '15m'),
  {
    alert: 'TesseraSlow',
    labels: { operation: 'refresh' },
    at: '20m',
    fires: { [duration('1')]: '0+10x30', [duration('2.5')]: '0+100x30', [duration('+Inf')]: '0+100x30' },
    quiet: {
      ...{ [duration('1')]: '0+100x30', [duration('2.5')]: '0+100x30', [duration('+Inf')]: '0+100x30' },
      // Streams of the revocation feed are open for minutes, and nobody waits for a scrape.
      [duration('2.5', 'follow-revocations')]: '0x30',
      [duration('+Inf', 'follow-revocations')]: '0+100x30',
      [duration('2.5', 'ops')]: '0x30',
      [duration('+Inf', 'ops')]: '0+100x30',
    },
  },
  rare('TesseraStoreRolledBack', 'store-rolled-back'),
  rare('TesseraTokenReused', 'refresh-token-reused'),
  rare('TesseraFault', 'fault', 'fault'),
  refused('TesseraRevocationUnknown', 'revocation-unavailable', '15m'),
  {
    alert: 'TesseraRateLimited',
    at: '30m',
    fires: { [requests('rate-limited')]: '0+120x60' },
    quiet: { [requests('rate-limited')]: '0+30x60' },
  },
  rare('TesseraCapReached', 'cap-reached'),
  byMetric('TesseraForeignCertificateHeaders', '10m', 'tessera_ignored_certificate_headers_total', '0 0 5x30', '5x30'),
  {
    alert: 'TesseraDirectoryAlarm',
    labels: { directory: 'corp' },
    at: '30m',
    fires: { 'tessera_directory_outcomes_total{instance="a",directory="corp",outcome="away"}': '0+1x60' },
    quiet: { 'tessera_directory_outcomes_total{instance="a",directory="corp",outcome="ended"}': '0+1x60' },
  },
  byMetric('TesseraEventLogHeldBack', '10m', 'tessera_event_log_lag_seconds', '60x20', '60x3 0x20'),
  byMetric('TesseraOrphanedSlots', '10m', 'tessera_slots_orphaned', '0 0 1x30', '0x30'),
  {
    alert: 'TesseraCertificateExpires',
    labels: { of: 'issuer' },
    at: '90m',
    fires: { 'tessera_certificates_ending_soon{instance="a",of="issuer"}': '1x100' },
    quiet: { 'tessera_certificates_ending_soon{instance="a",of="issuer"}': '0x100' },
  },
  {
    alert: 'TesseraSlotsFull',
    labels: NODE,
    at: '10m',
    fires: {
      'tessera_requests_in_flight{instance="a",worker="1"}': '10x20',
      'tessera_requests_in_flight{instance="a",worker="2"}': '900x20',
      'tessera_slots_limit{instance="a",worker="1"}': '1000x20',
      'tessera_slots_limit{instance="a",worker="2"}': '1000x20',
    },
    quiet: { 'tessera_requests_in_flight{instance="a"}': '700x20', 'tessera_slots_limit{instance="a"}': '1000x20' },
  },
  {
    alert: 'TesseraConnectionsFull',
    labels: NODE,
    at: '20m',
    fires: { 'tessera_connections{instance="a"}': '9000x30', 'tessera_connections_limit{instance="a"}': '10000x30' },
    quiet: { 'tessera_connections{instance="a"}': '7000x30', 'tessera_connections_limit{instance="a"}': '10000x30' },
  },
  {
    alert: 'TesseraDpopProofsMany',
    labels: NODE,
    at: '5m',
    fires: {
      'tessera_dpop_proofs_remembered{instance="a",worker="1"}': '10x20',
      'tessera_dpop_proofs_remembered{instance="a",worker="2"}': '190000x20',
      'tessera_dpop_proofs_limit{instance="a",worker="1"}': '262144x20',
      'tessera_dpop_proofs_limit{instance="a",worker="2"}': '262144x20',
    },
    quiet: {
      'tessera_dpop_proofs_remembered{instance="a"}': '180000x20',
      'tessera_dpop_proofs_limit{instance="a"}': '262144x20',
    },
  },
  byMetric('TesseraEventLoopBusy', '30m', 'tessera_event_loop_active_seconds_total', '0+58x40', '0+40x40'),
  {
    alert: 'TesseraCommitsSlow',
    labels: NODE,
    at: '20m',
    fires: { [commits('0.25')]: '0+90x30', [commits('1')]: '0+100x30', [commits('+Inf')]: '0+100x30' },
    quiet: { [commits('0.25')]: '0+100x30', [commits('+Inf')]: '0+100x30' },
  },
  byMetric('TesseraWalLarge', '30m', 'tessera_store_wal_bytes', '200000000x40', '60000000x40'),
  byMetric('TesseraSessionsExhausted', '10m', 'tessera_store_sessions_waiting', '3x20', '3 0 3 0 3 0 3 0 3 0 3 0 3 0'),
  {
    alert: 'TesseraTracesLost',
    at: '50m',
    fires: { 'tessera_trace_spans_dropped_total{instance="a",reason="queue-full"}': '0+60x60' },
    quiet: { 'tessera_trace_spans_dropped_total{instance="a",reason="queue-full"}': '500x60' },
  },
  { alert: 'TesseraErrorBudgetFast', at: '70m', fires: failing(200, 120), quiet: failing(50, 120) },
  { alert: 'TesseraErrorBudgetSlow', at: '73h30m', step: '30m', fires: failing(20, STEPS), quiet: failing(9, STEPS) },
  { alert: 'TesseraLatencyBudgetFast', at: '70m', fires: slow(200, 120), quiet: slow(50, 120) },
  { alert: 'TesseraLatencyBudgetSlow', at: '73h30m', step: '30m', fires: slow(20, STEPS), quiet: slow(9, STEPS) },
];
