// One turn after another with the public SDK, as its users write it: is the text whole when the prompt is answered?
const [module, baseUrl, token, agent, turns] = process.argv.slice(2)
const { SandboxAgent } = await import(module)
const client = await SandboxAgent.connect({ baseUrl, token })
const session = await client.createSession({ agent, cwd: "/tmp" })
let said = ""
session.onEvent(({ payload }) => {
  const update = payload.params?.update
  if (update?.sessionUpdate === "agent_message_chunk") said += update.content.text
})
const partial = []
for (let turn = 0; turn < Number(turns); turn++) {
  said = ""
  const text = `one two three four five six seven ${turn}`
  const { stopReason } = await session.prompt([{ type: "text", text }])
  if (stopReason !== "end_turn" || said.trimEnd() !== text) partial.push({ turn, stopReason, said })
}
await client.dispose()
console.log(JSON.stringify(partial))
process.exit(0)
