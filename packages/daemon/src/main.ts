import { OWN_PROGRAM } from "./drivers/shared/own-program.ts"

/** The entry of the executable. No top-level await: bytecode has none. */
async function main(argv: string[]): Promise<void> {
  if (argv[0] === OWN_PROGRAM) return (await import("./drivers/own-programs.ts")).runOwnProgram(argv.slice(1))
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
