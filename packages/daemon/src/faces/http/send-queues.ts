import { readFileSync } from "node:fs"

const row = /^ *\d+: [0-9A-F]+:([0-9A-F]{4}) [0-9A-F]+:([0-9A-F]{4}) [0-9A-F]{2} ([0-9A-F]+):/gm

/**
 * What the kernel still holds for the clients of a port, by the client's port. Linux wakes a writer only when a third of
 * a send buffer of megabytes is free; this moves with every packet a slow client takes. Empty where it cannot be seen.
 */
export function sendQueues(localPort: number): ReadonlyMap<number, number | undefined> {
  const queues = new Map<number, number | undefined>()
  for (const file of ["/proc/net/tcp", "/proc/net/tcp6"])
    for (const [, local = "", remote = "", bytes = ""] of read(file).matchAll(row)) {
      if (Number.parseInt(local, 16) !== localPort) continue
      const port = Number.parseInt(remote, 16)
      // Clients of two addresses may share a port: then neither is known.
      queues.set(port, queues.has(port) ? undefined : Number.parseInt(bytes, 16))
    }
  return queues
}

function read(file: string): string {
  try {
    return readFileSync(file, "latin1")
  } catch {
    // Not Linux, no IPv6, or no /proc in this sandbox: then only whole runs of bytes show that a client takes any.
    return ""
  }
}
