import type { Case } from "../case.ts"
import { treeMemory } from "../measure/tree.ts"
import { atMost, type Row } from "../row.ts"
import type { Running, Target } from "../target/target.ts"

const sessions = 100
/** Until what was needed only to start has been given back. */
const restMs = 2_000

interface Run {
  created: number
  /** Of the server with all it has started, beyond what the first session took, for each further one. */
  perSession: number
  processes: number
  kind: string
}

/** One client that opens session after session on its connection, as editors do. */
async function measure(target: Target): Promise<Run> {
  const server = await target.start()
  try {
    const call = caller(server)
    await call("initialize", { protocolVersion: 1, clientCapabilities: {} })
    const open = () => call("session/new", { cwd: "/tmp", mcpServers: [] })
    await open()
    await Bun.sleep(restMs)
    const before = treeMemory([server.pid])
    const begin = performance.now()
    for (let made = 1; made < sessions; made++) await open()
    const created = performance.now() - begin
    await Bun.sleep(restMs)
    const { mb, processes, kind } = treeMemory([server.pid])
    return { created, perSession: (mb - before.mb) / (sessions - 1), processes, kind }
  } finally {
    await server.stop()
  }
}

/** The dialect that the peer speaks as well. */
function caller({ port, token, agent = "mock" }: Running) {
  let id = 0
  return async (method: string, params: object): Promise<void> => {
    const answer = await fetch(`http://127.0.0.1:${port}/v1/acp/bench?agent=${agent}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) },
      body: JSON.stringify({ jsonrpc: "2.0", id: ++id, method, params }),
    })
    const text = await answer.text()
    if (!answer.ok || text.includes('"error"')) throw new Error(`${method}: ${answer.status} ${text.slice(0, 500)}`)
  }
}

/** What it is worth that sessions of an ACP agent share a process. */
export const sharing: Case = {
  name: "sharing",
  run: async ({ generic, alone, peer }): Promise<Row[]> => {
    const shared = await measure(generic)
    const apart = await measure(alone)
    const theirs = peer && (await measure(peer))
    const rows = (how: string, run: Run, other?: Run): Row[] => [
      {
        name: `${sessions} sessions on one connection, generic ACP agent, ${how}`,
        unit: "ms",
        ours: run.created,
        peer: other?.created,
      },
      { name: `    memory of each, ${run.kind}`, unit: "MB", ours: run.perSession, peer: other?.perSession },
      { name: "    processes, the server among them", unit: "", ours: run.processes, peer: other?.processes },
    ]
    const [created, memory, processes] = rows("one process", shared, theirs) as [Row, Row, Row]
    return [
      created,
      { ...memory, bar: atMost(shared.perSession, apart.perSession / 10, "MB", "a tenth of a process each") },
      processes,
      ...rows("a process each", apart),
    ]
  },
}
