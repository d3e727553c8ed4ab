import { DatabaseSync } from "node:sqlite"
import { SandboxAgentClient } from "sandbox-agent"
import { Ingest } from "sandbox-agent/store"
import { SqliteStore } from "sandbox-agent/store/sqlite"

const { baseUrl, token } = JSON.parse(globalThis.process.argv[2])
const client = new SandboxAgentClient({ baseUrl, token, autoConnect: false })
const store = new SqliteStore(new DatabaseSync(":memory:"))
const ingest = new Ingest(store)
ingest.add("box", client)
const session = await client.startSession({ agent: "mock" })
await session.prompt("/echo into a file of node:sqlite")
const ref = { sandbox: "box", id: session.id }
const { lastSequence } = await session.info()
while (((await store.get(ref))?.lastSequence ?? 0) < lastSequence) await new Promise((done) => store.onStored(done))
const { events } = await store.events(ref, { limit: 1000 })
await ingest.close()
const found = await store.search("node sqlite")
await store.close()
session.close()
console.log(JSON.stringify({ whole: events.length === lastSequence, found: found.length > 0 }))
