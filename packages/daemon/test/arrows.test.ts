import { existsSync, readFileSync } from "node:fs"
import { builtinModules } from "node:module"
import { dirname, join, relative, resolve } from "node:path"
import { expect, test } from "vitest"
import { root } from "./harness/daemon.ts"

const packages = join(root, "packages")
const files = [...new Bun.Glob("*/{src,test}/**/*.{ts,tsx}").scanSync(packages)].sort((a, b) => (a < b ? -1 : 1))
const sources = files.filter((file) => file.split("/")[1] === "src")
const read = (file: string): string => readFileSync(join(packages, file), "utf8")

/** Comments and texts out, so that only code is looked at. */
const codeOf = (text: string): string =>
  text.replace(/\/\*[\s\S]*?\*\/|(^|\s)\/\/.*$/gm, "$1").replace(/`(?:\\[\s\S]|[^`\\])*`|"(?:\\.|[^"\\\n])*"/g, '""')

interface Import {
  /** Of ours: the path from `packages/`; else the name of a package. */
  to: string
  ours: boolean
}

const statement =
  /(?:^|[\s;])(?:import|export)\s[^"'`;]*?from\s*"([^"]+)"|(?:^|[\s;])import\s*"([^"]+)"|\bimport\(\s*"([^"]+)"\s*[,)]/g

/** Type imports too: they vanish when compiled, but they are arrows all the same. */
function importsOf(file: string): Import[] {
  const code = read(file).replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "")
  return [...code.matchAll(statement)].map(([, from, bare, lazy]) => target(file, from ?? bare ?? lazy ?? ""))
}

function target(file: string, path: string): Import {
  if (path.startsWith(".")) return { to: relative(packages, resolve(packages, dirname(file), path)), ours: true }
  const allowed = /^@sandbox-agent\/([^/]+)\/?(.*)$/.exec(path)
  if (allowed?.[1] !== undefined && existsSync(join(packages, allowed[1])))
    return { to: `${allowed[1]}/src/${allowed[2] || "index"}.ts`, ours: true }
  return { to: path, ours: false }
}

/** The rooms of the house, the inner ones first, and what each may know. `only`: the sole files of a room. */
const d = "daemon/src"
const contract = [
  "agent-user",
  "client",
  "driver",
  "driver-sink",
  "supervisor",
  "programs",
  "deadline",
  "past-images",
].map((name) => `${d}/core/${name}.ts`)
/** What the table of agents says of each; read by whoever installs, logs in or lists them. */
const table = `${d}/drivers/table.ts`
const rooms: { room: string | RegExp; may: string[]; only?: string[] }[] = [
  { room: "schema/src/", may: ["schema/src/"] },
  { room: "conformance/src/", may: ["conformance/src/", "schema/src/", "scripted-model/src/"] },
  { room: "sandbox-agent/src/", may: ["sandbox-agent/src/"] },
  { room: "inspector/src/", may: ["inspector/src/"], only: ["schema/src/shell-word.ts"] },
  { room: `${d}/linux/`, may: [`${d}/linux/`, "schema/src/"] },
  { room: `${d}/store/`, may: [`${d}/store/`, "schema/src/"] },
  { room: `${d}/files/`, may: [`${d}/files/`, "schema/src/"] },
  { room: `${d}/host/files/`, may: [`${d}/host/files/`, `${d}/files/`, `${d}/linux/`, "schema/src/"] },
  { room: `${d}/core/`, may: [`${d}/core/`, `${d}/store/`, `${d}/files/`, "schema/src/"] },
  { room: `${d}/supervisor/`, may: [`${d}/supervisor/`, `${d}/linux/`, "schema/src/"], only: contract },
  { room: `${d}/sockets/`, may: [`${d}/sockets/`, `${d}/supervisor/`, "schema/src/"], only: contract },
  {
    room: `${d}/agent-user/`,
    may: [`${d}/agent-user/`, `${d}/supervisor/`, `${d}/files/`, `${d}/linux/`, "schema/src/"],
    only: contract,
  },
  {
    room: `${d}/credentials/`,
    may: [`${d}/credentials/`, `${d}/files/`, "schema/src/"],
    only: [...contract, table, `${d}/supervisor/environment.ts`, `${d}/registry/variables.ts`],
  },
  {
    room: `${d}/registry/`,
    may: [`${d}/registry/`, `${d}/install/`, `${d}/credentials/`, `${d}/files/`, "schema/src/"],
    only: [...contract, table, `${d}/supervisor/environment.ts`],
  },
  {
    room: `${d}/install/`,
    may: [`${d}/install/`, `${d}/supervisor/`, `${d}/files/`, `${d}/linux/`, "schema/src/"],
    // What the daemon gives its drivers: programs, with what is known of the login.
    only: [
      ...contract,
      table,
      ...["agent-registry", "installable", "login"].map((name) => `${d}/registry/${name}.ts`),
      `${d}/credentials/login.ts`,
    ],
  },
  {
    room: `${d}/host/processes/`,
    may: [`${d}/host/processes/`, `${d}/files/`, "schema/src/"],
    only: [
      ...contract,
      ...["attachment-folders", "context", "directory", "sessions"].map((name) => `${d}/core/${name}.ts`),
    ],
  },
  {
    room: `${d}/drivers/mock/agent/`,
    may: [`${d}/drivers/mock/agent/`, "schema/src/"],
    only: [
      ...["protocol", "session-file"].map((name) => `${d}/drivers/mock/${name}.ts`),
      `${d}/drivers/shared/unified-diff.ts`,
    ],
  },
  // An extension that Pi loads: it has nothing but itself there.
  { room: `${d}/drivers/pi/extension/`, may: [`${d}/drivers/pi/extension/`] },
  { room: `${d}/drivers/shared/`, may: [`${d}/drivers/shared/`, `${d}/files/`, "schema/src/"], only: contract },
  {
    // Entries of agents: data for the installer, for logins and for the CLI, beside the drivers and not loaded by them.
    room: new RegExp(`^${d}/drivers/(?:table|native-agent|[a-z-]+/(?:entry|credentials))\\.ts$`),
    may: [`${d}/drivers/`, `${d}/credentials/`, "schema/src/"],
    only: [
      ...contract,
      ...["install/entry", "install/platform-builds", "registry/model-providers", "supervisor/environment"].map(
        (name) => `${d}/${name}.ts`,
      ),
    ],
  },
  { room: `${d}/drivers/`, may: [`${d}/drivers/`, `${d}/files/`, "schema/src/"], only: contract },
  {
    room: `${d}/faces/`,
    may: [`${d}/faces/`, `${d}/core/`, `${d}/host/`, `${d}/linux/`, "schema/src/"],
    only: [
      ...["log", "reader", "lru-cache", "shared-pages", "damage", "frames", "acp-rows", "connection-store"].map(
        (name) => `${d}/store/${name}.ts`,
      ),
      // What is built of the inspector, as one file.
      "inspector/src/pack.ts",
    ],
  },
  {
    room: `${d}/cli/`,
    // Installing, credentials and the check of a store work without a daemon, and all of them say why a data directory
    // cannot be used; the conformance suite starts a daemon of its own.
    may: [
      ...["cli", "install", "credentials", "registry", "supervisor", "agent-user", "linux"].map(
        (room) => `${d}/${room}/`,
      ),
      ...["schema/src/", "conformance/src/"],
    ],
    only: [
      ...[table, `${d}/daemon.ts`, `${d}/log-output.ts`, "daemon/package.json"],
      ...["offline-check", "open-error"].map((name) => `${d}/store/${name}.ts`),
      `${d}/files/write-all.ts`,
    ],
  },
]

const isIn = (room: string | RegExp, file: string): boolean =>
  typeof room === "string" ? file.startsWith(room) : room.test(file)

test("every import goes along the arrow", () => {
  const wrong = sources.flatMap((file) => {
    const room = rooms.find((r) => isIn(r.room, file))
    if (room === undefined) return []
    const stray = importsOf(file).filter(
      ({ to, ours }) => ours && !room.may.some((may) => to.startsWith(may)) && !room.only?.includes(to),
    )
    return stray.map(({ to }) => `${file} → ${to}`)
  })
  expect(wrong).toEqual([])
})

test("only the composition stands outside the rooms", () => {
  const outside = sources.filter((file) => file.startsWith("daemon/") && !rooms.some(({ room }) => isIn(room, file)))
  expect(outside.filter((file) => !file.startsWith(`${d}/host/`))).toEqual([
    `${d}/daemon.ts`,
    ...["listen", "options", "registry-agents", "stop"].map((name) => `${d}/daemon/${name}.ts`),
    `${d}/log-output.ts`,
    `${d}/main.ts`,
  ])
  const known = outside.filter((file) => file.startsWith(`${d}/daemon`)).flatMap((file) => importsOf(file))
  expect(known.filter(({ to }) => to.startsWith(`${d}/cli/`))).toEqual([])
  const drivers = known.map(({ to }) => to).filter((to) => to.startsWith(`${d}/drivers/`))
  expect([...new Set(drivers)]).toEqual([`${d}/drivers/drivers.ts`])
})

const shared = `${d}/drivers/shared/`

test("faces are given what they need of the core, and neither all of it nor its store", () => {
  const faces = files.filter((file) => file.includes("daemon/src/faces/"))
  expect(faces.length).toBeGreaterThan(50)
  const whole = /(services|sessions|session|\bs)\.context\b|\b(Context|Rows)\b[^"]*from "[^"]*\/(context|rows)\.ts"/
  expect(faces.filter((file) => whole.test(read(file)))).toEqual([])
  // Of the ACP face alone: the log of each connection is its own.
  const stores = faces.filter((file) => /\/connection-store\.ts"|store\.flush\(/.test(read(file)))
  const room = (file: string) => file.split("faces/").at(-1)
  expect(stores.map(room).sort()).toEqual(["acp/acp.ts", "acp/connection.ts", "acp/connections.ts", "acp/face.ts"])
})

test("drivers know what they share, and not each other", () => {
  const wrong = sources.flatMap((file) => {
    const driver = new RegExp(`^${d}/drivers/[^/]+/`).exec(file)?.[0]
    if (driver === undefined) return []
    const allowed = [driver, shared, `${d}/drivers/native-agent.ts`]
    return importsOf(file).flatMap(({ to }) =>
      to.startsWith(`${d}/drivers/`) && !allowed.some((room) => to.startsWith(room)) ? [`${file} → ${to}`] : [],
    )
  })
  expect(wrong).toEqual([])
})

test("what drivers share knows no agent and no HTTP, and two of them use it", () => {
  const files = sources.filter((file) => file.startsWith(shared))
  expect(files.length).toBeGreaterThan(0)
  const agents = [...new Bun.Glob("*/").scanSync({ cwd: join(packages, d, "drivers"), onlyFiles: false })]
  const names = agents.filter((name) => name !== "shared" && name !== "mock").join("|")
  const agent = new RegExp(`\\b(?:${names}|gemini|qwen)\\b`, "i")
  const http = /\bfetch\(|\b(?:Request|Response|Headers)\b|node:https?/
  const knowing = files.flatMap((file) =>
    [agent, http].flatMap((one) => one.exec(read(file))?.[0].replace(/^/, `${file}: `) ?? []),
  )
  expect(knowing).toEqual([])
  const users = (file: string): string[] => {
    const direct = sources.filter(
      (one) => one.startsWith(`${d}/drivers/`) && importsOf(one).some(({ to }) => to === file),
    )
    return direct.flatMap((one) => (one.startsWith(shared) ? users(one) : [one.split("/")[3] ?? ""]))
  }
  expect(files.filter((file) => new Set(users(file)).size < 2)).toEqual([])
})

test("nobody but its own tests reaches into the daemon", () => {
  const wrong = files.flatMap((file) =>
    file.startsWith("daemon/")
      ? []
      : importsOf(file).flatMap(({ to, ours }) => (ours && to.startsWith("daemon/") ? [`${file} → ${to}`] : [])),
  )
  expect(wrong).toEqual([])
})

test("the conformance suite is loaded by its own command, when that is called", () => {
  const inDaemon = sources.filter((file) => file.startsWith("daemon/"))
  const knowing = inDaemon.filter((file) => importsOf(file).some(({ to }) => to.startsWith("conformance/")))
  expect(knowing).toEqual([`${d}/cli/conformance-text.ts`, `${d}/cli/conformance.ts`])
  expect(inDaemon.filter((file) => /from "[^"]*\/conformance\.ts"/.test(read(file)))).toEqual([])
})

test("the schema needs zod and nothing else", () => {
  const foreign = sources
    .filter((file) => file.startsWith("schema/"))
    .flatMap((file) => importsOf(file).flatMap(({ to, ours }) => (ours ? [] : [to])))
  expect([...new Set(foreign)]).toEqual(["zod"])
})

test("the client needs acp-http-client and a packer; what only Node has is in rooms of its own", () => {
  const rooms: Record<string, RegExp> = {
    embedded: /^node:/,
    local: /^node:|^modern-tar\/fs$/,
    socket: /^ws$/,
    react: /^react$/,
  }
  // A provider is for whoever imports it; the others of its room stay as portable as the client.
  const providers: Record<string, RegExp> = {
    "sandbox/docker.ts": /^node:child_process$/,
    "sandbox/linux-executable.ts": /^node:/,
    "sandbox/e2b.ts": /^e2b$/,
    "sandbox/vercel.ts": /^@vercel\/sandbox$/,
    "sandbox/daytona.ts": /^@daytona/,
    "sandbox/cloudflare.ts": /^@cloudflare\/sandbox$/,
  }
  const foreign = sources
    .filter((file) => file.startsWith("sandbox-agent/"))
    .flatMap((file) => importsOf(file).flatMap(({ to, ours }) => (ours ? [] : [{ file, to }])))
  const roomOf = (file: string) => rooms[file.split("/")[2] ?? ""] ?? providers[file.split("/").slice(2).join("/")]
  const elsewhere = foreign.filter(({ file }) => roomOf(file) === undefined)
  expect(new Set(elsewhere.map(({ to }) => to))).toEqual(
    new Set(["acp-http-client", "modern-tar", "#embedded", "#linux-executable", "#local-files", "#web-socket"]),
  )
  const notOurs = foreign.filter(({ to }) => to !== "acp-http-client")
  expect(notOurs.filter(({ file, to }) => roomOf(file)?.test(to) === false)).toEqual([])
})

test("every import is seen: what the compiler finds, the search found", () => {
  // `<T>(…) => …` means another thing where there is JSX.
  const plain = new Bun.Transpiler({ loader: "ts" })
  const withJsx = new Bun.Transpiler({ loader: "tsx" })
  const missed = sources.flatMap((file) => {
    const found = new Set(importsOf(file).map(({ to }) => to))
    return (
      (file.endsWith("x") ? withJsx : plain)
        .scanImports(read(file))
        // What JSX becomes.
        .filter(({ path }) => !(file.endsWith("x") && /^react(\/jsx-dev-runtime)?$/.test(path)))
        .flatMap(({ path }) => (found.has(target(file, path).to) ? [] : [`${file} → ${path}`]))
    )
  })
  expect(missed).toEqual([])
})

/** Everything that a bundle of this entry pulls in. */
async function bundled(entry: string, target: "browser" | "bun"): Promise<string[]> {
  const seen = new Set<string>()
  const setup = (build: Bun.PluginBuilder): void => {
    build.onResolve({ filter: /.*/ }, ({ path, importer }) => {
      if (importer !== "") seen.add(path.startsWith(".") ? relative(packages, resolve(dirname(importer), path)) : path)
      return undefined
    })
  }
  const entrypoints = [join(packages, entry)]
  const { success, logs } = await Bun.build({ entrypoints, target, plugins: [{ name: "spy", setup }], throw: false })
  expect(success, logs.join("\n")).toBe(true)
  return [...seen]
}

test("every entry of the schema bundles for a browser, without the daemon and without built-ins", async () => {
  const entries = sources.filter((file) => file.startsWith("schema/"))
  expect(entries.length).toBeGreaterThan(10)
  for (const entry of entries) {
    const inside = await bundled(entry, "browser")
    const wrong = inside.filter(
      (path) =>
        path.startsWith("daemon") || /^(node|bun):/.test(path) || path === "bun" || builtinModules.includes(path),
    )
    expect(wrong, entry).toEqual([])
  }
})

test("the mock agent's program is its own: nothing of the daemon gets into its bundle", async () => {
  const inside = await bundled(`${d}/drivers/mock/agent/main.ts`, "bun")
  const others = inside.filter((path) => path.startsWith("daemon/") && !path.startsWith(`${d}/drivers/mock/`))
  expect(others).toEqual([`${d}/drivers/shared/unified-diff.ts`])
  expect(inside.filter((path) => path.startsWith("@sandbox-agent/"))).toEqual([])
  expect(inside).toContain(`${d}/drivers/mock/agent/conversation.ts`)
})

test("no file is longer than 400 lines, generated ones apart", () => {
  const written = files.filter((file) => !file.endsWith(".gen.ts"))
  const long = written.flatMap((file) => {
    const lines = read(file).split("\n").length - 1
    return lines > 400 ? [`${file}: ${lines}`] : []
  })
  expect(long).toEqual([])
})

test("files are named for what they hold: no utils, no barrels", () => {
  const named = files.filter((file) => /(^|\/)(utils?|helpers?|common|misc|index)\.tsx?$/.test(file))
  const barrels = sources.filter((file) => {
    const lines = codeOf(read(file))
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== "")
    return lines.length > 0 && lines.every((line) => /^export (type )?(\*|\{[^}]*\}).* from ""$/.test(line))
  })
  expect([...named, ...barrels]).toEqual([])
})

test("nothing is of type any", () => {
  const found = files.flatMap((file) =>
    codeOf(read(file))
      .split("\n")
      .flatMap((line, i) =>
        /(?::|<|\bas|\||=|,)\s*any\b(?!\s*[:(])/.test(line) ? [`${file}:${i + 1}: ${line.trim()}`] : [],
      ),
  )
  expect(found).toEqual([])
})

test("no circle of imports in any room, type imports apart", () => {
  const graph = new Map(
    sources.map((file) => {
      const code = read(file)
        .replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "")
        .replace(/(?:import|export) type [^;]*?from\s*"[^"]+"/g, "")
        .replace(/\bimport\(\s*"[^"]+"\s*\)/g, "") // loaded later, on purpose
      const to = [...code.matchAll(statement)].map(([, from, bare]) => target(file, from ?? bare ?? ""))
      return [file, to.filter((one) => one.ours).map((one) => one.to)] as const
    }),
  )
  const done = new Set<string>()
  const circles: string[] = []
  const walk = (file: string, path: string[]): void => {
    if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(" → "))
    if (done.has(file) || path.includes(file)) return
    for (const next of graph.get(file) ?? []) walk(next, [...path, file])
    done.add(file)
  }
  for (const file of graph.keys()) walk(file, [])
  expect(circles).toEqual([])
})
