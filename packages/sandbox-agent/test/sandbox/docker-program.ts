import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { killGroups, LocalMachine } from "./local-machine.ts"

/**
 * Stands in for the command `docker` where there is no engine: it takes the words that the provider uses, as Docker does, and runs what
 * a container would run as processes of this machine. A container is a folder with a home; it has no file system and no network of its own, so
 * a port is published at its own number. Images are names in a file.
 */
const state = process.env.DOCKER_STATE ?? ""
const folderOf = (name: string): string => join(state, "containers", name)
const listOf = (file: string): string[] =>
  existsSync(join(state, file)) ? readFileSync(join(state, file), "utf8").split("\n") : []

function fail(message: string, code = 1): never {
  process.stderr.write(`${message}\n`)
  process.exit(code)
}

/** Flags with a value, flags without, and the words that follow. */
function parse(words: string[], plain: readonly string[]): { flags: Map<string, string[]>; rest: string[] } {
  const flags = new Map<string, string[]>()
  let at = 0
  for (; at < words.length && words[at]?.startsWith("--"); at++) {
    const flag = words[at] ?? ""
    const value = plain.includes(flag) ? "" : (words[++at] ?? "")
    flags.set(flag, [...(flags.get(flag) ?? []), value])
  }
  return { flags, rest: words.slice(at) }
}

function existing(name: string): string {
  if (!existsSync(folderOf(name))) fail(`Error response from daemon: No such container: ${name}`)
  return folderOf(name)
}

const pidsOf = (folder: string): number[] =>
  readFileSync(join(folder, "pids"), "utf8").split("\n").filter(Boolean).map(Number)

function begin(folder: string): void {
  const child = new LocalMachine(join(folder, "home")).start(["sleep", "infinity"])
  writeFileSync(join(folder, "pids"), `${child.pid}\n`)
  child.unref()
}

const commands: Record<string, (words: string[]) => void | Promise<void>> = {
  image([word, image = ""]) {
    if (word !== "inspect" || !listOf("images").includes(image)) fail(`Error: No such image: ${image}`)
    process.stdout.write("[{}]\n")
  },
  pull(words) {
    const [image = ""] = parse(words, ["--quiet"]).rest
    if (!listOf("registry").includes(image))
      fail(`Error response from daemon: pull access denied for ${image}, repository does not exist`)
    appendFileSync(join(state, "images"), `${image}\n`)
  },
  run(words) {
    const { flags, rest } = parse(words, ["--detach", "--init"])
    const [image = "", ...command] = rest
    const [name = ""] = flags.get("--name") ?? []
    if (!listOf("images").includes(image)) fail(`Unable to find image '${image}' locally`, 125)
    mkdirSync(folderOf(name), { recursive: true })
    writeFileSync(
      join(folderOf(name), "run.json"),
      JSON.stringify({ flags: Object.fromEntries(flags), image, command }),
    )
    // As Docker does when the port is taken: the container is there and was never started.
    if (listOf("refuse").includes("run"))
      fail("Error response from daemon: driver failed programming external connectivity", 125)
    begin(folderOf(name))
    process.stdout.write(`${name}\n`)
  },
  start([name = ""]) {
    const folder = existing(name)
    const [first = 0] = pidsOf(folder)
    if (!existsSync(`/proc/${first}`)) begin(folder)
    process.stdout.write(`${name}\n`)
  },
  async exec(words) {
    const { flags, rest } = parse(words, ["--detach", "--interactive"])
    const [name = "", ...command] = rest
    const folder = existing(name)
    if (listOf("refuse").includes("exec")) fail("Error response from daemon: container is paused")
    const env = Object.fromEntries(
      (flags.get("--env") ?? []).map((variable) => [variable, process.env[variable] ?? ""]),
    )
    const machine = new LocalMachine(join(folder, "home"))
    if (!flags.has("--detach")) {
      const input = flags.has("--interactive") ? await Bun.stdin.bytes() : undefined
      const { exitCode, stdout, stderr } = await machine.run(command, env, input)
      // Awaited: an exit would cut off what a pipe has not taken yet.
      await Bun.write(Bun.stdout, stdout)
      await Bun.write(Bun.stderr, stderr)
      process.exit(exitCode)
    }
    const child = machine.start(command, env)
    appendFileSync(join(folder, "pids"), `${child.pid}\n`)
    child.unref()
  },
  port([name = "", port = ""]) {
    const { flags } = JSON.parse(readFileSync(join(existing(name), "run.json"), "utf8"))
    const [host, , published] = String(flags["--publish"][0]).split(":")
    if (`${published}/tcp` !== port) fail(`Error: No public port '${port}' published for ${name}`)
    process.stdout.write(`${host}:${published}\n`)
  },
  async rm(words) {
    if (listOf("refuse").includes("rm-hangs")) await new Promise((resolve) => setTimeout(resolve, 600_000))
    const [name = ""] = parse(words, ["--force", "--volumes"]).rest
    if (listOf("refuse").includes("rm")) fail("Error response from daemon: removal of container is already in progress")
    const folder = existing(name)
    if (existsSync(join(folder, "pids"))) killGroups(pidsOf(folder))
    rmSync(folder, { recursive: true, force: true })
    process.stdout.write(`${name}\n`)
  },
}

/** The script of a command that keeps its containers in a folder. */
export const dockerProgram = (folder: string): string =>
  `DOCKER_STATE=${folder} exec ${process.execPath} ${import.meta.filename} "$@"`

export const containersIn = (folder: string): string[] =>
  existsSync(join(folder, "containers")) ? readdirSync(join(folder, "containers")) : []

if (import.meta.main) {
  const [word = "", ...words] = process.argv.slice(2)
  appendFileSync(join(state, "calls"), `${JSON.stringify([word, ...words])}\n`)
  const command = commands[word] ?? (() => fail(`docker: '${word}' is not a docker command.`))
  await command(words)
  process.exit(0)
}
