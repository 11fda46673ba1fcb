/** One wording for every reason of a group, as part of a table of wordings. */
export function wordedAlike<R extends string, W>(reasons: readonly R[], wording: W): Readonly<Record<R, W>> {
  return Object.fromEntries(reasons.map((reason) => [reason, wording])) as Record<R, W>;
}
