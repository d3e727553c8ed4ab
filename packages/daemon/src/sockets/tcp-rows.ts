import { readFile } from "node:fs/promises"
import { isIPv4, isIPv6 } from "node:net"

/** One end of a TCP connection, as the kernel lists it. */
export interface TcpRow {
  /** Of its socket; 0 once nobody holds it any more. */
  readonly inode: string
  readonly uid: number
  isFrom(remote: { address: string; port: number }): boolean
}

const row = /^ *\d+: ([0-9A-F]+):([0-9A-F]{4}) [0-9A-F]+:([0-9A-F]{4}) [0-9A-F]{2} \S+ \S+ \S+ +(\d+) +\d+ (\d+)/gm

/** The ends that are connected to a port, in this network namespace; undefined where that cannot be seen. */
export async function rowsTo(port: number): Promise<TcpRow[] | undefined> {
  const [v4, v6] = await Promise.all(["tcp", "tcp6"].map(readTable))
  return v4 === undefined ? undefined : [...rowsIn(v4, port), ...rowsIn(v6 ?? "", port)]
}

function* rowsIn(table: string, port: number): Generator<TcpRow> {
  for (const [, address = "", local = "", to = "", uid = "", inode = ""] of table.matchAll(row)) {
    if (Number.parseInt(to, 16) !== port) continue
    const isFrom: TcpRow["isFrom"] = (remote) =>
      remote.port === Number.parseInt(local, 16) && kernelForms(remote.address).includes(address)
    yield { inode, uid: Number(uid), isFrom }
  }
}

/** By another thread: on a machine with much memory the kernel takes milliseconds to go through its tables. */
const readTable = (name: string): Promise<string | undefined> =>
  readFile(`/proc/net/${name}`, "latin1").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "EACCES") return undefined // no Linux, no IPv6, or no /proc
    throw error
  })

const mapped = "0000000000000000FFFF0000"

/** An address as the tables have it: words of four bytes, each the other way round; of IPv4 also in the dress of IPv6. */
export function kernelForms(address: string): string[] {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, "")
  if (isIPv4(plain)) {
    const word = hex(plain.split(".").map(Number).reverse())
    return [word, mapped + word]
  }
  if (!isIPv6(plain)) return []
  const bytes = bytesOf(plain)
  return [[0, 4, 8, 12].map((at) => hex(bytes.slice(at, at + 4).reverse())).join("")]
}

export const isLoopback = (address: string): boolean => address.startsWith("127.") || address === "::1"

const hex = (bytes: number[]): string =>
  bytes
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("")
    .toUpperCase()

function bytesOf(address: string): number[] {
  const [head = "", tail] = (address.split("%")[0] ?? "").split("::")
  const groups = (text: string) => text.split(":").filter(Boolean).flatMap(bytesOfGroup)
  const [before, after] = [groups(head), groups(tail ?? "")]
  return [...before, ...Array<number>(Math.max(0, 16 - before.length - after.length)).fill(0), ...after]
}

function bytesOfGroup(group: string): number[] {
  if (group.includes(".")) return group.split(".").map(Number)
  const value = Number.parseInt(group, 16)
  return [value >> 8, value & 255]
}

const listening = /^ *\d+: ([0-9A-F]+):([0-9A-F]{4}) [0-9A-F]+:[0-9A-F]{4} 0A \S+ \S+ \S+ +\d+ +\d+ (\d+)/gm

/** Sockets that wait for connections, in this network namespace; none where that cannot be seen. */
export async function listeningRows(): Promise<{ inode: string; port: number; address: string }[]> {
  const tables = await Promise.all(["tcp", "tcp6"].map(readTable))
  return tables.flatMap((table) =>
    [...(table ?? "").matchAll(listening)].map(([, address = "", port = "", inode = ""]) => ({
      ...{ inode, port: Number.parseInt(port, 16), address: readable(address) },
    })),
  )
}

/** The other way round: from the kernel's words to an address. */
function readable(form: string): string {
  const bytes = (form.match(/.{8}/g) ?? []).flatMap((word) => [6, 4, 2, 0].map((at) => word.slice(at, at + 2)))
  if (bytes.length === 4) return bytes.map((byte) => Number.parseInt(byte, 16)).join(".")
  const groups = Array.from({ length: 8 }, (_, i) => `${bytes[2 * i]}${bytes[2 * i + 1]}`)
  return new URL(`http://[${groups.join(":")}]`).hostname.slice(1, -1)
}
