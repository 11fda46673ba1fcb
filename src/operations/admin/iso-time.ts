/** A time in ISO 8601, in whole seconds: `2027-01-31T12:00:00Z`. */
export function isoTime(epochSeconds: number): string {
  return new Date(epochSeconds * 1000).toISOString().replace('.000Z', 'Z');
}
