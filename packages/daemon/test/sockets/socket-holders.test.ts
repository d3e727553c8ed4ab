import { createServer, type Socket } from "node:net"
import { expect, onTestFinished, test } from "vitest"
import { SocketHolders } from "../../src/sockets/socket-holders.ts"
import { rowsTo } from "../../src/sockets/tcp-rows.ts"

/** Connects so many times, says so, and waits for its input to end. */
const client = `const { connect } = require("node:net")
const [port, count] = process.argv.slice(-2).map(Number)
for (let n = 0; n < count; n++) connect(port, "127.0.0.1")
process.stdin.resume().on("end", () => process.exit())`

/** A server of this process, with so many connections of another. */
async function connected(count: number) {
  const sockets: Socket[] = []
  const all = Promise.withResolvers<void>()
  const server = createServer((socket) => {
    if (sockets.push(socket) === count) all.resolve()
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const port = typeof address === "object" ? (address?.port ?? 0) : 0
  const other = Bun.spawn([process.execPath, "-e", client, String(port), String(count)], { stdin: "pipe" })
  onTestFinished(async () => {
    await other.stdin.end()
    await other.exited
    server.close()
  })
  await all.promise
  // The kernel gives its table in pieces: while connections of others come and go, one can be passed over or come twice.
  let inodes: string[] = []
  while (inodes.length !== count) inodes = ((await rowsTo(port)) ?? []).map(({ inode }) => inode)
  return { pid: other.pid, inodes }
}

test.runIf(process.platform === "linux")(
  "who holds sockets is found for any number of clients in no more than two looks",
  async () => {
    const count = 40
    const { pid, inodes } = await connected(count)
    const sockets = new SocketHolders()
    const first = sockets.of(inodes[0] ?? "")
    // Under way: what the others want may have been passed already.
    await Promise.resolve()
    expect(sockets.looks).toBe(1)
    const others = inodes.map((inode) => sockets.of(inode))
    expect((await first).holders).toEqual([pid])
    expect((await Promise.all(others)).map(({ holders }) => holders)).toEqual(inodes.map(() => [pid]))
    expect(sockets.looks).toBe(2)
    expect((await sockets.of("0")).holders).toEqual([])
  },
)
