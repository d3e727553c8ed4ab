import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest"
import { scratch, startDaemon, type TestDaemon } from "../harness/daemon.ts"
import { TestViewer } from "./viewer.ts"

// Screens take time to be read, on a busy machine more of it.
vi.setConfig({ testTimeout: 300_000 })

let daemon: TestDaemon
beforeAll(async () => {
  daemon = await startDaemon()
})
afterAll(() => daemon.stop())

const open = (body: object) => daemon.api.ok<{ id: string }>("POST", "/v1/terminals", { cols: 100, rows: 30, ...body })

/** Both show the same, cell by cell, once all has come. */
async function alike(one: TestViewer, other: TestViewer): Promise<void> {
  const same = () => Bun.deepEquals(one.cells(), other.cells())
  for (let left = 600; left > 0 && !same(); left--) await Bun.sleep(50)
  expect(other.cells()).toEqual(one.cells())
}

interface Act {
  /** A program that has to be there, or the test says that it is not. */
  needs: string
  begin(folder: string): { body: object; first: RegExp }
  /** What is typed, and what it shows then. */
  acts: [type: string, shows: RegExp][]
}

const programs: Record<string, Act> = {
  vim: {
    needs: "vim",
    begin: (folder) => {
      const file = join(folder, "code.c")
      const lines = Array.from({ length: 200 }, (_, i) => `int f${i}(void) { return ${i}; } /* line ${i} 日本 */`)
      writeFileSync(file, lines.join("\n"))
      const settings = ["set nocp", "syntax on", "set number laststatus=2 t_Co=256 mouse=a nomore"].map(
        (s) => `--cmd=${s}`,
      )
      const words = settings.flatMap((s) => ["--cmd", s.slice(6)])
      return {
        body: { command: "vim", args: ["-u", "NONE", "-N", "-i", "NONE", "-n", ...words, file] },
        first: /int f5/,
      }
    },
    acts: [
      [":syntax on\r", /int f5/],
      [":split\r", /code\.c[\s\S]*code\.c/],
      ["100G", /line 99/],
      [":vsplit\r", /line 99/],
      ["ofunny \x1b[Athing\x1b", /funny/],
      ["\x04", /int f1/],
      ["\x19\x19\x19:echo 'marker-one'\r", /marker-one/],
      ["ggdG:echo 'emptied'\r", /emptied/],
    ],
  },
  htop: {
    needs: "htop",
    begin: () => ({ body: { command: "htop", args: ["-d", "3000"] }, first: /F10|PID/ }),
    acts: [
      ["\x1b[B\x1b[B", /PID/],
      ["h", /htop [\d.]+|[Pp]ress any key/],
      [" ", /F10/],
      ["t", /PID/],
    ],
  },
  tmux: {
    needs: "tmux",
    begin: (folder) => ({
      body: { shell: `exec tmux -S ${folder}/sock -f /dev/null new-session -s t "sh"`, env: { PS1: "$ ", ENV: "" } },
      first: /\[t\]/,
    }),
    acts: [
      ["echo one-$((1+1))\r", /one-2/],
      ['\x02"', /─/],
      ["seq 1 60; echo two-$((1+2))\r", /two-3/],
      ["\x02%", /│/],
      ["printf '\\033[31mred\\033[0m \\033[7mturned\\033[0m'; echo; echo three-$((2+2))\r", /three-4/],
      ["\x02z", /three-4/],
      ["for i in 1 2 3 4 5 6 7 8 9; do echo line $i; done; echo four-$((3+2))\r", /four-5/],
    ],
  },
  "a shell with scrollback": {
    needs: "sh",
    begin: () => ({ body: { command: "sh", env: { PS1: "$ ", ENV: "" } }, first: /\$/ }),
    acts: [
      ["seq 1 300; echo one-$((1+1))\r", /one-2/],
      ["printf '\\033[5;15r\\033[10;1H\\033[4mlow\\033[0m'; echo two-$((1+2))\r", /two-3/],
      ["seq 1 40; echo three-$((2+2))\r", /three-4/],
      ["printf '\\033[?25l\\033(0lqqk\\033(B\\033[r\\033[20;3H\\033[44m blue'; echo four-$((3+2))\r", /four-5/],
    ],
  },
}

for (const [name, { needs, begin, acts }] of Object.entries(programs)) {
  const missing = Bun.which(needs) === null
  if (missing)
    console.warn(`SKIPPED: ${needs} is not installed, so nobody has compared its screens (.ci/run installs it)`)
  test.skipIf(missing)(`${name}: who comes, or comes back, sees what the first viewer sees, cell by cell`, async () => {
    const folder = scratch()
    const { body, first } = begin(folder)
    const { id } = await open({ cwd: folder, ...body })
    onTestFinished(async () => void (await daemon.api.call("DELETE", `/v1/terminals/${id}`)))
    using stays = new TestViewer(daemon, id)
    await stays.shows(first)
    for (const [type, shows] of acts) {
      // Somebody new for each: what they are given is the screen, and what follows has to go on from it.
      using comes = new TestViewer(daemon, id)
      await comes.until(() => comes.bytes > 0)
      await alike(stays, comes)
      stays.type(type)
      await stays.shows(shows)
      await comes.shows(shows)
      await alike(stays, comes)
    }
    using late = new TestViewer(daemon, id)
    await late.until(() => late.bytes > 0)
    await alike(stays, late)
    expect(late.all()).toBe(stays.all())
    // Another size, and all draw the same again.
    stays.resize(71, 19)
    await late.until(() => late.frames.some(({ type }) => type === "resize"))
    await alike(stays, late)
    using last = new TestViewer(daemon, id)
    await last.until(() => last.bytes > 0)
    await alike(stays, last)
    expect(stays.frames.filter(({ type }) => type === "error")).toEqual([])
  })
}
