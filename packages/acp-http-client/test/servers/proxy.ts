import { connect, createServer, type Socket } from "node:net"

export interface Line {
  url: string
  /** Connections cut so far. */
  cuts: number
  /** Bytes of an answer that pass before its connection is cut; undefined lets all pass. Asked for each connection. */
  allowance: () => number | undefined
  /** How long a connection lives from its first answer on, as with a proxy that cuts what is old; undefined: as long as its ends want. */
  lifeMs: number | undefined
  /** Bytes of clients that passed. */
  bytesIn: number
  /** Cuts whatever is open now. */
  cutAll(): void
  /** Takes connections and bytes, and passes nothing on; a connection that has lost some stays so. */
  stalled: boolean
  stop(): void
}

/** A line to a server that breaks where it is told to, in the middle of a frame as well. */
export async function startProxy(target: string): Promise<Line> {
  const { port, pathname } = new URL(target)
  const open = new Set<Socket>()
  const server = createServer((inside) => {
    const outside = connect(Number(port), "127.0.0.1")
    const left = { bytes: proxy.allowance() }
    let dead = false
    let old: ReturnType<typeof setTimeout> | undefined
    // From the first answer: on a machine so busy that one takes longer than a life, nothing would ever get through.
    const live = () => {
      if (proxy.lifeMs !== undefined) old ??= setTimeout(cutOld, proxy.lifeMs)
    }
    const cutOld = () => {
      proxy.cuts++
      inside.destroy()
      outside.destroy()
    }
    const passes = () => {
      dead ||= proxy.stalled
      return !dead
    }
    for (const socket of [inside, outside]) {
      open.add(socket)
      socket.on("close", () => {
        open.delete(socket)
        clearTimeout(old)
        inside.destroy()
        outside.destroy()
      })
      // A cut is what these tests are about; it is counted where it is made.
      socket.on("error", () => undefined)
    }
    inside.on("data", (chunk) => {
      if (!passes()) return
      proxy.bytesIn += chunk.length
      outside.write(chunk)
    })
    outside.on("data", (chunk) => {
      if (!passes()) return
      live()
      if (left.bytes === undefined || chunk.length <= left.bytes) {
        if (left.bytes !== undefined) left.bytes -= chunk.length
        inside.write(chunk)
        return
      }
      proxy.cuts++
      const rest = Buffer.from(chunk).subarray(0, left.bytes)
      const cut = () => {
        inside.destroy()
        outside.destroy()
      }
      if (rest.length === 0) cut()
      else inside.write(rest, cut)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const proxy: Line = {
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}${pathname}`,
    cuts: 0,
    lifeMs: undefined,
    bytesIn: 0,
    allowance: () => undefined,
    stalled: false,
    cutAll: () => {
      for (const socket of open) socket.destroy()
    },
    stop: () => {
      for (const socket of open) socket.destroy()
      server.close()
    },
  }
  return proxy
}
