import { DEFAULT_SETTINGS as usual } from '../../core/settings.ts';
import { duration, section } from '../setting.ts';

export const events = section('The event log: every state change, in the store.', {
  retention: duration({ description: 'How long events are kept.', default: usual.eventRetention }),
});
