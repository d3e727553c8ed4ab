const children = new Set<number>()

/** A child that the runtime waits for. Whatever this process starts is registered here, or it would be taken for an orphan. */
export function registerChild(pid: number, exited: Promise<unknown>): void {
  children.add(pid)
  const forget = () => children.delete(pid)
  exited.then(forget, forget)
}

export const isOurChild = (pid: number): boolean => children.has(pid)
