import type { DeviceId } from '../../../core/device.ts';
import type { PersonOutcome } from '../../../core/outcome.ts';
import type { Person } from '../../../core/person.ts';
import { type DeviceOnScreen, showDevice } from '../../../operations/device/decide-device.ts';
import type { Ports } from '../../../operations/ports.ts';
import type { Answer } from '../parts/answer.ts';
import { refusalPage } from '../parts/refusal-page.ts';
import type { PersonVisit, Visit } from '../parts/visit.ts';
import { lastPage } from './last-page.ts';
import { requestPage } from './request-page.ts';

const DEVICE_ID = /^[0-9a-f]{32}$/;

function deviceIdOf({ request }: Visit): DeviceId | undefined {
  const { id = '' } = request.params as { id?: string };
  return DEVICE_ID.test(id) ? (id as DeviceId) : undefined;
}

export async function showRequest(visit: PersonVisit): Promise<Answer> {
  const id = deviceIdOf(visit);
  if (!id) return refusalPage(visit, { reason: 'not-found' });
  const shown = await showDevice(id, visit.person, visit.site.ports);
  if (!shown.ok) return refusalPage(visit, shown.refusal);
  const { state } = shown.value;
  return state === 'pending' ? requestPage(visit, shown.value) : lastPage(visit, shown.value, state);
}

/** Redirects to the stored decision, so that reloading or going back shows it and changes nothing. */
export async function takeDecision(
  visit: PersonVisit,
  operation: (id: DeviceId, person: Person, ports: Ports) => Promise<PersonOutcome<DeviceOnScreen>>,
): Promise<Answer> {
  const id = deviceIdOf(visit);
  if (!id) return refusalPage(visit, { reason: 'not-found' });
  const decided = await operation(id, visit.person, visit.site.ports);
  return decided.ok ? { goTo: `/device/${id}` } : refusalPage(visit, decided.refusal);
}
