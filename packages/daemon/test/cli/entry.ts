import { runCli } from "../../src/cli/cli.ts"

process.exit(await runCli(process.argv.slice(2)))
