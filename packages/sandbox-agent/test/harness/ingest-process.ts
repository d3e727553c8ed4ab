import { SandboxAgentClient } from "../../src/sandbox-agent.ts"
import { Ingest } from "../../src/store/ingest.ts"
import { PostgresStore } from "../../src/store/postgres.ts"
import { token } from "./daemon.ts"
import { poolAt } from "./postgres.ts"

/** Reads the daemons it is given into the Postgres of that folder, until it is killed. */
const [folder = "", ...addresses] = process.argv.slice(2)
const store = await PostgresStore.open(await poolAt(folder))
const ingest = new Ingest(store, { leaseMs: 1_000, onError: () => undefined })
for (const [at, baseUrl] of addresses.entries()) {
  const limits = { pauseMinMs: 5, pauseMaxMs: 200 }
  ingest.add(`box${at}`, new SandboxAgentClient({ autoConnect: false, baseUrl, token, limits }))
}
console.log("listening on http://nowhere")
