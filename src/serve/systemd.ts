// Reports to systemd when it started the service: sd_notify(3). Node has no datagram sockets of the Unix family, so systemd-notify
// sends each message. That is one short process at the start, one at the stop, and one for every half of WatchdogSec=.
import { execFile } from 'node:child_process';
import { every } from './watch.ts';

type Environment = Readonly<Partial<Record<string, string>>>;

export interface Systemd {
  ready(): void;
  stopping(): void;
}

const NOT_UNDER_SYSTEMD: Systemd = { ready: () => undefined, stopping: () => undefined };

/** `isAlive`: called for the watchdog. systemd restarts a service that reports nothing for WatchdogSec=. */
export function reportToSystemd(
  isAlive: () => Promise<boolean>,
  complain: (fault: unknown) => void,
  environment: Environment = process.env,
): Systemd {
  if (!environment['NOTIFY_SOCKET']) return NOT_UNDER_SYSTEMD;
  // Never with --no-block: systemd would look up the sender after it has ended, find no unit for it, and ignore the message.
  const send = (state: string) => execFile('systemd-notify', [state], (error) => error && complain(error.message));
  let stopWatchdog = async () => {};
  return {
    ready: () => {
      send('READY=1');
      const everyMs = (Number(environment['WATCHDOG_USEC']) || 0) / 2000;
      if (everyMs > 0) stopWatchdog = every(everyMs, async () => (await isAlive()) && send('WATCHDOG=1'), complain);
    },
    stopping: () => {
      send('STOPPING=1');
      void stopWatchdog();
    },
  };
}
