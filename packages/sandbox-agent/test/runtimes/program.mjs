import { SandboxAgentClient } from "sandbox-agent"
import { scenario } from "./scenario.js"

const { argv } = globalThis.process
const result = await scenario(JSON.parse(argv[2]))
// The first lines of a newcomer, with a daemon of one's own.
const client = await SandboxAgentClient.start({ spawn: { timeoutMs: 50_000 } })
const { status } = await client.getHealth()
await client.dispose()
console.log(JSON.stringify({ ...result, own: status }))
