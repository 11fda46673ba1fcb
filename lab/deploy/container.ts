export async function inContainer(): Promise<void> {}
