// A process of its own with many WebSockets on one session: says when all are attached, and when all have every text.
const { url, token, count, texts, session } = JSON.parse(process.argv[2] ?? "")
let attached = 0
let complete = 0

for (let i = 0; i < count; i++) {
  const headers = { authorization: `Bearer ${token}` }
  const socket = new WebSocket(`${url}/v1/rpc?agent=mock`, { headers } as unknown as string)
  const ask = (id: number, method: string, params: object) =>
    socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }))
  let next = 0
  socket.onopen = () => ask(0, "initialize", { protocolVersion: 1 })
  socket.onmessage = ({ data }) => {
    const text = /"agent_message_chunk".*?"text":"(\d+)/.exec(data)?.[1]
    if (text !== undefined) {
      if (Number(text) !== next++) console.log(`wrong: ${text} instead of ${next - 1}`)
      if (next === texts && ++complete === count) console.log("complete")
      return
    }
    const { id } = JSON.parse(data)
    if (id === 0) ask(1, "session/resume", { sessionId: session, cwd: "/tmp", mcpServers: [] })
    if (id === 1 && ++attached === count) console.log("attached")
  }
  socket.onclose = ({ code }) => console.log(`wrong: closed with ${code}`)
}
