import { SandboxAgentClient } from "sandbox-agent"

/** Reads a session in a page and prompts another one over the connection; what comes of it stands in `window.result`. */
window.start = async (token, id, limits) => {
  const client = new SandboxAgentClient({ baseUrl: location.origin, token, agent: "mock", limits })
  const session = client.session(id)
  const result = { sequences: [], deltas: 0, sleptMs: 0 }
  window.result = result
  let before = performance.now()
  setInterval(() => {
    const now = performance.now()
    result.sleptMs = Math.max(result.sleptMs, now - before)
    before = now
  }, 10)
  const { id: second } = await client.newSession({ directory: "/" })
  window.second = second
  const reading = (async () => {
    for await (const event of session.events()) {
      result.sequences.push(event.sequence)
      if (event.type === "item.delta") result.deltas++
      if (event.type === "turn.ended") return "ended"
    }
  })()
  const settled = (work) =>
    work.then(
      (value) => value.stopReason ?? value,
      (error) => error.kind,
    )
  window.prompted = {
    first: settled(session.prompt("/sleep 2000\n/stream 500 20")),
    second: settled(client.prompt(second, "/sleep 2000\n/echo on")),
  }
  window.settled = async () => ({
    first: await window.prompted.first,
    second: await window.prompted.second,
    read: await settled(reading),
    late: await settled(client.getHealth()).then((value) => value.status ?? value),
  })
  return true
}
