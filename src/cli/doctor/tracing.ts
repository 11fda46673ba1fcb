import type { Config } from '../../config/schema.ts';
import { type Finding, good, poor } from './finding.ts';

const PATIENCE_MS = 2_000;
const REMEDY = 'Check tracing.endpoint and the collector. The service runs without it, but traces are lost.';

/** Sends an empty export to the collector, if tracing is on. */
export async function examineTracing({ tracing: { endpoint } }: Config): Promise<Finding[]> {
  if (endpoint === undefined) return [];
  const { poster } = await import('../../tracing/post.ts');
  try {
    const { status } = await poster(endpoint, PATIENCE_MS)('{"resourceSpans":[]}');
    if (status >= 200 && status <= 299) return [good('tracing', `${endpoint} accepts traces`)];
    return [poor('tracing', `${endpoint} replies with status ${status}`, REMEDY)];
  } catch (fault) {
    return [poor('tracing', `${endpoint} cannot be reached: ${(fault as Error).message}`, REMEDY)];
  }
}
