import { mkdir, readdir, rm, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { Case, Context } from "../case.ts"
import { Series } from "../measure/series.ts"
import { atMost, type Row } from "../row.ts"
import { headersOf, urlOf } from "../target/api.ts"
import { temporary } from "../target/launch.ts"
import type { Running } from "../target/target.ts"

const folders = 100
const filesEach = 200
const listed = 100_000
const rounds = 5

type Timed = Series<"ours" | "floor" | "peer">

/** Many small files: unpacked, packed, searched and listed, beside the programs that do only that. */
export const trees: Case = {
  name: "trees",
  run: async (context) => {
    const directory = await temporary()
    const server = await context.ours.start()
    try {
      const tree = await makeTree(join(directory, "tree"))
      const archive = join(directory, "tree.tar")
      await command(["tar", "-cf", archive, "-C", tree, "."])
      return [
        await unpacked(server, directory, archive),
        await packed(server, tree),
        await searched(server, tree),
        await entries(context, server, join(directory, "flat")),
      ]
    } finally {
      await server.stop()
      await rm(directory, { recursive: true, force: true })
    }
  },
}

/** Files of a kilobyte of words, one in a hundred with the word that is searched for. */
async function makeTree(tree: string): Promise<string> {
  const words = "const answer = question + doubt // what is known so far\n".repeat(18)
  for (let folder = 0; folder < folders; folder++) {
    const path = join(tree, `folder-${folder}`)
    await mkdir(path, { recursive: true })
    for (let file = 0; file < filesEach; file++)
      await writeFile(join(path, `file-${file}.ts`), file % 100 === 0 ? `${words}needle in it\n` : words)
  }
  return tree
}

async function unpacked(server: Running, directory: string, archive: string): Promise<Row> {
  const times: Timed = new Series()
  for (let round = 0; round < rounds; round++) {
    const [bare, ours] = [join(directory, "bare"), join(directory, "ours")]
    await mkdir(bare)
    times.add("floor", await time(() => command(["tar", "-xf", archive, "-C", bare])))
    times.add("ours", await time(() => call(server, "/v1/fs/upload-batch", { path: ours }, Bun.file(archive))))
    for (const made of [bare, ours]) await rm(made, { recursive: true })
  }
  return row("POST /v1/fs/upload-batch", "tar -x", times)
}

async function packed(server: Running, tree: string): Promise<Row> {
  const times: Timed = new Series()
  for (let round = 0; round < rounds; round++) {
    times.add("floor", await time(() => command(["tar", "-cf", "-", "-C", tree, "."])))
    times.add("ours", await time(() => call(server, "/v1/fs/archive", { path: tree })))
  }
  return row("GET /v1/fs/archive", "tar -c", times)
}

async function searched(server: Running, tree: string): Promise<Row> {
  const times: Timed = new Series()
  const rg = Bun.which("rg")
  const due = (folders * filesEach) / 100
  for (let round = 0; round < rounds; round++) {
    if (rg !== null) times.add("floor", await time(() => command([rg, "--json", "-F", "needle", tree])))
    const took = await time(async () => {
      const found =
        (await call(server, "/v1/fs/search", { path: tree, pattern: "needle" })).split('"type":"match"').length - 1
      if (found !== due) throw new Error(`${found} of ${due} found`)
    })
    times.add("ours", took)
  }
  const ours = times.median("ours") ?? Number.NaN
  const floor = times.median("floor")
  return {
    ...row("GET /v1/fs/search", "ripgrep", times),
    bar: atMost(ours, floor === undefined ? undefined : 3 * floor, "ms", "3 × ripgrep"),
  }
}

async function entries(context: Context, server: Running, folder: string): Promise<Row> {
  await mkdir(folder)
  for (let i = 0; i < listed; i++) await writeFile(join(folder, `file-${i}`), "")
  const times: Timed = new Series()
  const peer = await context.peer?.start()
  try {
    for (let round = 0; round < rounds; round++) {
      times.add("floor", await time(() => lookedAt(folder)))
      times.add("ours", await time(() => allPages(server, folder)))
      if (peer !== undefined) times.add("peer", await time(() => call(peer, "/v1/fs/entries", { path: folder })))
    }
  } finally {
    await peer?.stop()
  }
  return {
    name: `GET /v1/fs/entries of a folder of ${listed} files, page by page`,
    unit: "ms",
    ours: times.median("ours"),
    floor: times.median("floor"),
    ...(peer === undefined ? {} : { peer: times.median("peer") }),
    note: "floor: readdir and a stat of each, one after the other",
  }
}

async function lookedAt(folder: string): Promise<void> {
  for (const name of await readdir(folder)) await stat(join(folder, name))
}

async function allPages(server: Running, folder: string): Promise<void> {
  let cursor: string | null = ""
  let found = 0
  while (cursor !== null) {
    const query: Record<string, string> = { path: folder, ...(cursor === "" ? {} : { cursor }) }
    const answer: Response = await fetch(urlOf(server, "/v1/fs/entries", query), { headers: headersOf(server) })
    found += ((await answer.json()) as unknown[]).length
    cursor = answer.headers.get("x-next-cursor")
  }
  if (found !== listed) throw new Error(`${found} of ${listed} listed`)
}

const row = (name: string, floor: string, times: Timed): Row => ({
  name: `${name}, ${folders * filesEach} small files`,
  unit: "ms",
  ours: times.median("ours"),
  floor: times.median("floor"),
  note: `floor: ${floor}`,
})

async function time(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

async function call(server: Running, path: string, query: Record<string, string>, body?: Bun.BunFile): Promise<string> {
  const init = body === undefined ? {} : { method: "POST", body }
  const answer = await fetch(urlOf(server, path, query), { headers: headersOf(server), ...init })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`)
  return text
}

/** Runs a program to its end and takes what it says. */
async function command(words: string[]): Promise<void> {
  const child = Bun.spawn(words, { stdout: "pipe", stderr: "inherit" })
  await child.stdout.bytes()
  if ((await child.exited) !== 0) throw new Error(`${words.join(" ")} failed`)
}
