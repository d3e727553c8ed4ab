/** Epoch milliseconds with decimals: comparable between processes of one machine, unlike a monotonic clock of one process. */
export const now = (): number => performance.timeOrigin + performance.now()
