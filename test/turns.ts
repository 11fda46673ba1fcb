/** What the work results in, and how many turns other work had meanwhile. */
export async function withTurns<T>(work: Promise<T>): Promise<[result: T, turns: number]> {
  let [turns, isOver] = [0, false];
  const others = async () => {
    for (; !isOver; turns++) await new Promise(setImmediate);
  };
  const meanwhile = others();
  const result = await work;
  isOver = true;
  await meanwhile;
  return [result, turns];
}
