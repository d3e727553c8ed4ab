/** The entry of the executable. No top-level await: bytecode has none. */
async function main(argv: string[]): Promise<void> {
  if (argv[0] === "mock-agent") {
    // The scripted agent is this program again, without the rest of it: it must start fast.
    const { runMockAgent } = await import("./drivers/mock/agent/main.ts")
    await runMockAgent(argv.slice(1))
    return
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

export {}
