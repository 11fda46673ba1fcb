import { flag, section } from '../setting.ts';

export const metrics = section('Metrics in Prometheus format at `/metrics`, on listeners that name `ops` in `doors`.', {
  enabled: flag({ description: 'Whether they are served.', default: true }),
});
