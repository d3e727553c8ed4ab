import { SandboxAgentClient } from "sandbox-agent"
import { IndexedDbStore } from "sandbox-agent/store/indexeddb"
import { hasAll, ingestMs, readMs } from "./ingesting.ts"

/** A round in a page: reading alone, and into a database of the browser. */
window.start = async (name, token, sessions) => {
  const lasts = new Map(sessions)
  const client = new SandboxAgentClient({ baseUrl: window.location.origin, token, autoConnect: false })
  const floorMs = await readMs(client, lasts)
  const store = await IndexedDbStore.open({ name })
  try {
    const takenMs = await ingestMs(client, store, lasts)
    return { floorMs, takenMs, isWhole: await hasAll(store, lasts) }
  } finally {
    await store[Symbol.asyncDispose]()
  }
}
