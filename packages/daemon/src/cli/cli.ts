import type { Command } from "./command.ts"

/** Runs one command line and gives its exit code. Every part is loaded when it is needed: the start must stay fast. */
export async function runCli(argv: string[]): Promise<number> {
  const { isBrokenPipe, onLostOutput, withoutOutput } = await import("./print.ts")
  const serves = argv[0] === "server" || argv[0]?.startsWith("-")
  if (serves) withoutOutput()
  else onLostOutput((code) => process.exit(code))
  try {
    return await dispatch(argv)
  } catch (error) {
    if (isBrokenPipe(error)) return 0
    const { report } = await import("./problem.ts")
    return await report(error, argv.includes("--json"))
  }
}

/** Whatever other programs have for it. */
const versionWords = ["--version", "-V", "-v", "version"]

async function dispatch(argv: string[]): Promise<number> {
  const [first] = argv
  if (first !== undefined && versionWords.includes(first)) return await printVersion()
  if (first === undefined || first === "--help" || first === "-h") return await printHelp([])
  const { builtinCommands } = await import("./commands.ts")
  const { matchCommand } = await import("./command.ts")
  // Flags alone mean the server.
  const builtin = matchCommand(builtinCommands, first.startsWith("-") ? ["server", ...argv] : argv)
  if (builtin) return await start(builtin.command, builtin.rest)
  const { apiCommands } = await import("./api-commands.ts")
  const words = first === "api" ? argv.slice(1) : argv
  const api = matchCommand(apiCommands, words)
  if (api) return await start(api.command, api.rest)
  return await incomplete(argv, words)
}

async function start(command: Command, argv: string[]): Promise<number> {
  const { specialRequest } = await import("./special.ts")
  const special = specialRequest(argv, command.flags)
  if (special === "version") return await printVersion()
  if (special === "help") return await printHelp(command.words)
  return await (await command.load())(argv)
}

/** Words that name no command: a group alone gets its help, anything else the nearest command. */
async function incomplete(argv: string[], words: string[]): Promise<number> {
  const { rendered } = await import("./help.ts")
  if (words.some((word) => word === "--version" || word === "-V")) return await printVersion()
  const asked = words.some((word) => word === "--help" || word === "-h")
  const plain = argv.filter((word) => !word.startsWith("-"))
  const stream = asked ? process.stdout : process.stderr
  const { out, err } = await import("./print.ts")
  const text = rendered(plain, stream)
  await (asked ? out(text) : err(text))
  return asked ? 0 : 2
}

async function printVersion(): Promise<number> {
  const { version } = await import("./version.ts")
  const { line } = await import("./print.ts")
  await line(`sandbox-agent ${version}`)
  return 0
}

async function printHelp(words: readonly string[]): Promise<number> {
  const { rendered } = await import("./help.ts")
  const { out } = await import("./print.ts")
  await out(rendered(words))
  return 0
}
