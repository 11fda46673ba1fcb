// What a page of the console says about an act before it is done.

export const enForesight = {
  touched: {
    none: 'No living grant is touched.',
    some: (grants: number, holders: number, names: string, isComplete: boolean) =>
      `${isComplete ? '' : 'At least '}${grants === 1 ? '1 living grant' : `${grants} living grants`} of ${holders === 1 ? '1 identity' : `${holders} identities`} (${names}) ${grants === 1 ? 'is' : 'are'} touched.`,
    noneOfNewest: 'None of the newest 10,000 grants is touched. Older ones may be.',
    ways: {
      remove: 'They end at once.',
      disable: 'They are refused while it is disabled, and work again after that.',
      change: 'They are refused, or get less than they have.',
      stay: 'New callers are refused within a second. These grants stay until they end.',
    },
  },
} as const;
