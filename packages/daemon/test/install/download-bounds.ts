import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { installLimits } from "@sandbox-agent/schema/install-limits"
import { type Answer, claudeRelease, program } from "@sandbox-agent/test-agents/vendor-server"
import { describe, expect } from "vitest"
import { untar } from "../../src/install/tar.ts"
import { UnpackedFolder } from "../../src/install/unpacked.ts"
import { unzip } from "../../src/install/zip.ts"
import { type Entry, tarGz, zip } from "./archives.ts"
import { overfill } from "./overfill.ts"
import { expectRefused } from "./refused.ts"

const binary = "/claude/2.1.400/linux-x64/claude"
const answering = (answer: Answer) => ({
  ...claudeRelease("2.1.400", "linux-x64", program("2.1.400")),
  [binary]: answer,
})
const slow = (pieces: number) => () =>
  new Response(
    new ReadableStream({
      async start(stream) {
        for (let n = 0; n < pieces; n++) stream.enqueue(new Uint8Array(10))
        await Bun.sleep(60_000)
      },
    }),
  )

overfill(["downloadBytes"], "more bytes are refused", () =>
  expectRefused(answering(`#!/bin/sh\n${"#".repeat(5000)}`), /larger than the 4096 bytes/, { downloadBytes: 4096 }),
)

overfill(["answerMs"], "a server that does not answer is given up", () =>
  expectRefused(
    answering(() => Bun.sleep(60_000).then(() => new Response(""))),
    /no answer for 300 ms/,
    { answerMs: 300 },
  ),
)

overfill(["stallMs"], "an answer that stops is given up", () =>
  expectRefused(answering(slow(3)), /nothing more came for 300 ms/, { stallMs: 300 }),
)

overfill(["redirects"], "a redirect loop is left", () =>
  expectRefused(
    answering(() => Response.redirect(binary)),
    /more than 5 redirects/,
  ),
)

describe.each(["tar", "zip"] as const)("%s", (kind) => {
  async function expectNotUnpacked(entries: Entry[], bounds: object, words: RegExp) {
    const directory = await mkdtemp(join(tmpdir(), "sa-archive-"))
    const [file, inside] = [join(directory, "archive"), join(directory, "inside")]
    await mkdir(inside)
    await writeFile(file, kind === "tar" ? tarGz(entries) : zip(entries))
    const folder = new UnpackedFolder(inside, { ...installLimits, ...bounds })
    await expect(kind === "tar" ? untar(file, folder) : unzip(file, folder)).rejects.toThrow(words)
    expect((await readdir(directory)).sort()).toEqual(["archive", "inside"])
    await rm(directory, { recursive: true })
  }

  overfill(["unpackedFiles"], "an archive of more files is refused", () =>
    expectNotUnpacked(
      [..."abcd"].map((name) => ({ name })),
      { unpackedFiles: 3 },
      /more than 3 files/,
    ),
  )

  overfill(["unpackedBytes"], "an archive of more bytes is refused", () =>
    expectNotUnpacked([{ name: "a", content: "x".repeat(1001) }], { unpackedBytes: 1000 }, /more than 1000 bytes/),
  )
})
