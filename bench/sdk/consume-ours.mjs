// Consumes a turn of N deltas with the built client of this repository; prints what it saw.
const [client, baseUrl, token, agent, way, count] = process.argv.slice(2)
const { SandboxAgentClient } = await import(client)
const sdk = new SandboxAgentClient({ baseUrl, token, autoConnect: false })
const session = await sdk.startSession({ agent })
await session.prompt("/stream 100")
const { lastSequence } = await session.info()
let deltas = 0
let at = lastSequence
let isWhole = true
/** What a transcript has of the turn: compared with what the daemon has. */
let shown
const textOf = ({ content }) => content.map((part) => part.text ?? "").join("")

function see({ sequence, type }) {
  isWhole &&= sequence === ++at
  if (type === "item.delta") deltas++
  return type === "turn.ended"
}
const ways = {
  events: async () => {
    for await (const event of session.events({ offset: lastSequence })) if (see(event)) return
  },
  onEvent: () =>
    new Promise((resolve) => {
      session.onEvent((event) => {
        if (see(event)) resolve()
      })
    }),
  transcript: () =>
    new Promise((resolve) => {
      const { transcript } = session
      transcript.subscribe(() => {
        const { turns, items } = transcript.getSnapshot()
        if (turns.length < 2 || turns.at(-1)?.ended === undefined) return
        shown = textOf(items.at(-1))
        resolve()
      })
    }),
}
const done = ways[way]()
// What listens is connected before the turn begins.
await new Promise((resolve) => setTimeout(resolve, 300))
const began = performance.now()
const cpu = process.cpuUsage()
await session.send(`/stream ${count}`)
await done
const ms = performance.now() - began
const { user, system } = process.cpuUsage(cpu)
if (shown !== undefined) {
  isWhole = shown === textOf((await sdk.listItems(session.id)).items.at(-1))
  deltas = Number(count)
}
console.log(JSON.stringify({ ms, deltas, isWhole, cpuMs: (user + system) / 1000 }))
process.exit(0)
