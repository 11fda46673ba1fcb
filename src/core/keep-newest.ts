/** Adds to a cache as its newest entry, and drops the oldest one if there are more than `most`. */
export function keepNewest<Key, Value>(cache: Map<Key, Value>, key: Key, value: Value, most: number): Value {
  cache.delete(key);
  cache.set(key, value);
  if (cache.size > most) cache.delete(cache.keys().next().value as Key);
  return value;
}
