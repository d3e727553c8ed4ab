// The same with the public client 0.4.2 on its daemon.
const [client, baseUrl, count] = process.argv.slice(2)
const { SandboxAgent } = await import(client)
const sdk = await SandboxAgent.connect({ baseUrl })
const session = await sdk.createSession({ agent: "mock", cwd: "/tmp" })
let deltas = 0
let lastAt = 0
session.onEvent(({ payload }) => {
  if (payload.params?.update?.sessionUpdate !== "agent_message_chunk") return
  deltas++
  lastAt = performance.now()
})
await session.prompt([{ type: "text", text: "/stream 100" }])
await new Promise((resolve) => setTimeout(resolve, 300))
deltas = 0
const began = performance.now()
const cpu = process.cpuUsage()
await session.prompt([{ type: "text", text: `/stream ${count}` }])
// What comes behind the answer counts, too, until there is nothing for a while.
for (let before = -1; deltas < Number(count) && before !== deltas; ) {
  before = deltas
  await new Promise((resolve) => setTimeout(resolve, 2000))
}
const { user, system } = process.cpuUsage(cpu)
console.log(
  JSON.stringify({ ms: lastAt - began, deltas, isWhole: deltas === Number(count), cpuMs: (user + system) / 1000 }),
)
process.exit(0)
