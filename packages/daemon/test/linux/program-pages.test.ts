import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { unchangedPages } from "../../src/linux/program-pages.ts"
import { startDaemon } from "../harness/daemon.ts"

const program = "/opt/my programs/sandbox-agent"
/** A mapping as the kernel tells it, less what is not looked at. */
const told = (addresses: string, rights: string, place: string, path: string, anonymousKb = 0): string =>
  `${addresses} ${rights} ${place} fe:00 2148665                            ${path}
Size:              24800 kB
Rss:                5920 kB
Anonymous:      ${String(anonymousKb).padStart(9)} kB
VmFlags: rd ex mr mw me
`

test("of all mappings those of the program that nobody can have written to", () => {
  const smaps = [
    told("00200000-01a38000", "r--p", "00000000", program),
    told("01a40000-06836000", "r-xp", "01838000", program),
    told("06836000-0684a000", "rw-p", "0662d000", program, 80),
    // Written to when the program was loaded, and only read since.
    told("0684a000-06852000", "r--p", "06641000", program),
    told("7f0000000000-7f0000001000", "r-xp", "00000000", "/usr/lib/libc.so.6"),
    told("7f0000002000-7f0000003000", "rw-s", "00000000", "/data/sandbox-agent.db-shm"),
    `7ffd00000000-7ffd00001000 r-xp 00000000 00:00 0 [vdso]\nSize: 8 kB\nAnonymous: 0 kB\n`,
  ].join("")
  expect(unchangedPages(smaps, program)).toEqual([
    { start: 0x200000n, length: 0x1838000n },
    { start: 0x1a40000n, length: 0x4df6000n },
  ])
})

test("what somebody has changed stays", () => {
  const smaps = told("01a40000-06836000", "r-xp", "01838000", program, 4)
  expect(unchangedPages(smaps, program)).toEqual([])
})

const residentKb = (pid: number, kind: "RssFile"): number =>
  Number(new RegExp(`^${kind}:\\s+(\\d+) kB`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1])

test.runIf(process.platform === "linux")(
  "a daemon at rest gives back much of its program, and works as before",
  async () => {
    await using daemon = await startDaemon()
    const { api, pid } = daemon
    await api.create("one")
    await api.turn("one", "/stream 200 20")
    // Without giving back it stays; what is left is needed at once, or of parts that may have been written to.
    const used = residentKb(pid, "RssFile")
    await expect.poll(() => residentKb(pid, "RssFile"), { timeout: 50_000, interval: 200 }).toBeLessThan(used * 0.75)
    await api.turn("one", "/stream 200 20")
    expect((await api.session("one")).status).toBe("idle")
  },
)
