import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { fetched } from "@sandbox-agent/test-agents/fetched"
import { expect, test } from "vitest"
import { filesDaemon, workspace } from "./files-api.ts"
import { rawArchive } from "./tar-bytes.ts"

const shared = filesDaemon()
const sdk = fetched({ name: "sandbox-agent-0.4.2", spec: "sandbox-agent@0.4.2", file: "sandbox-agent/dist/index.js" })

test("the public SDK 0.4.2 has every one of its file calls", async () => {
  const { folder, daemon } = shared
  const program = join(import.meta.dirname, "public-sdk-files.mjs")
  const archive = join(workspace(), "archive.tar")
  writeFileSync(archive, rawArchive({ name: "one/two", content: "three" }))
  const child = Bun.spawn(
    [process.execPath, program, pathToFileURL(sdk).href, daemon.url, daemon.token, folder, archive],
    {
      stdout: "pipe",
      stderr: "pipe",
    },
  )
  const [out, error, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  expect([code, error]).toEqual([0, ""])
  expect(JSON.parse(out)).toMatchObject({
    mkdir: { path: `${folder}/a/b` },
    write: { path: `${folder}/a/b/file.bin`, bytesWritten: 4 },
    writeText: { path: `${folder}/new/parents/text`, bytesWritten: 4 },
    read: [0, 255, 10, 13],
    stat: { path: `${folder}/a/b/file.bin`, entryType: "file", size: 4, modified: expect.stringMatching(/^\d{4}-/) },
    move: { from: `${folder}/a/b/file.bin`, to: `${folder}/a/moved.bin` },
    moveTaken: { status: 409, type: "urn:sandbox-agent:error:conflict" },
    moveOver: { from: `${folder}/a/moved.bin`, to: `${folder}/new/parents/text` },
    entries: [
      { name: "a", path: `${folder}/a`, entryType: "directory", size: expect.any(Number) },
      { name: "new", path: `${folder}/new`, entryType: "directory", size: expect.any(Number) },
    ],
    entriesAnywhere: true,
    upload: { paths: [`${folder}/unpacked/one/two`], truncated: false },
    deleteFull: { status: 409 },
    delete: { path: `${folder}/new` },
    missing: { status: 404 },
  })
})
