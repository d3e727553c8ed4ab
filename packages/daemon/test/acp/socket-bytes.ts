import { acpLimits } from "@sandbox-agent/schema/acp-limits"
import { limits } from "@sandbox-agent/schema/limits"
import { expect } from "vitest"
import { startDaemon } from "../harness/daemon.ts"
import { metric } from "../streaming/raw-stream.ts"
import { halt } from "../supervisor/processes.ts"
import { overfill } from "./overfill.ts"

overfill(
  ["socketBytes"],
  "a WebSocket whose client takes nothing is not filled beyond it, and the turn ends all the same",
  async () => {
    await using daemon = await startDaemon()
    await daemon.api.create("one")
    const program = `
    const ws = new WebSocket(${JSON.stringify(`${daemon.url.replace(/^http/, "ws")}/v1/rpc?agent=mock`)},
      { headers: { authorization: ${JSON.stringify(`Bearer ${daemon.token}`)} } })
    let chunks = 0
    ws.onopen = () => ws.send(JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params: { protocolVersion: 1 } }))
    ws.onmessage = ({ data }) => {
      const message = JSON.parse(data)
      if (message.id === 0) ws.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "session/resume",
        params: { sessionId: "one", cwd: "/tmp", mcpServers: [] } }))
      if (message.id === 1) console.log("attached")
      if (data.includes("agent_message_chunk") && ++chunks === 12000) console.log("all")
    }`
    const child = Bun.spawn([process.execPath, "-e", program], { stdout: "pipe", stderr: "inherit" })
    try {
      const output = child.stdout.getReader()
      let said = ""
      const until = async (word: string) => {
        while (!said.includes(word)) said += new TextDecoder().decode((await output.read()).value)
      }
      await until("attached")
      await halt(child.pid)
      await daemon.api.turn("one", "/stream 12000 2500")
      // All that was said is 32 MB; the bound is looked at after each step of a reader.
      const buffered = await metric(daemon, "socket_buffered_bytes")
      expect(buffered).toBeGreaterThan(0)
      expect(buffered).toBeLessThan(acpLimits.socketBytes + 4 * limits.readerPageBytes)
      child.kill("SIGCONT")
      await until("all")
    } finally {
      child.kill("SIGKILL")
    }
  },
  { timeout: 120_000 },
)
