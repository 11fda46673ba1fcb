import type { Ports } from './ports.ts';

/** 16 bytes as hex: 6 of time, so that rows are laid down in order and pages fill, then 10 random ones. */
export function newId({ clock, random }: Pick<Ports, 'clock' | 'random'>): string {
  return clock.milliseconds().toString(16).padStart(12, '0') + random(10).toString('hex');
}
