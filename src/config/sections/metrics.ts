import { flag, section } from '../setting.ts';

export const metrics = section('Metrics in Prometheus format at `/metrics`, on listeners that name `ops` in `doors`.', {
  enabled: flag('Whether they are served.', true),
});
