// Dry runs: what the service says to a token, a certificate, an assertion or a scope; and what is known of a request.
import { accept } from '../../../core/outcome.ts';
import { rows } from '../../../store/pages.ts';
import { refusalCounts } from '../../../store/tables/refusal-counts.ts';
import { explainScope } from '../explain-scope.ts';
import { explainToken } from '../explain-token.ts';
import { eventsOfRequest } from '../read-events.ts';
import { answer, type RunsOf } from './act.ts';
import { shownRefusal } from './event.ts';

export const RUNS: RunsOf<'explain'> = {
  'explain-request': async ({ id = '' }, ports) => {
    const events = await eventsOfRequest(id, ports);
    const counts = await Array.fromAsync(rows(ports.store, refusalCounts));
    const refusals = counts.filter(({ lastRequestId }) => lastRequestId === id).map(shownRefusal);
    return answer({ events: [...events], refusals });
  },
  'explain-token': async ({ body }, ports) => {
    const { token } = body as { token: string };
    return accept({ value: await explainToken(token, await ports.callerPorts()) });
  },
  'explain-scope': async ({ query }, ports) => {
    const { integration, scope } = query as { integration: string; scope: string };
    return answer(explainScope(integration, scope, (await ports.callerPorts()).registry));
  },
};
