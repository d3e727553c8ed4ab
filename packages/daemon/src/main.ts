import { OWN_PROGRAM } from "./drivers/shared/own-program.ts"

/** The entry of the executable. No top-level await: bytecode has none. */
async function main(argv: string[]): Promise<void> {
  if (argv[0] === OWN_PROGRAM) {
    const { ownProgramOf } = await import("./drivers/own-programs.ts")
    const program = ownProgramOf(argv[1])
    if (program !== undefined) return program(argv.slice(2))
  }
  if (argv[0] === "search-files") {
    const { runSearch } = await import("./host/files/search/program.ts")
    await runSearch()
    process.exit(0)
  }
  const { runCli } = await import("./cli/cli.ts")
  // Sockets of a finished command must not keep the process.
  process.exit(await runCli(argv))
}

void main(process.argv.slice(2))
