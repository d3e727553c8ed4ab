import type { PlanEntry } from "@sandbox-agent/schema/event"
import type { Inherited } from "./past.ts"
import type { Session } from "./session.ts"

/** What an agent has to be told beside the items, should it not remember them: the session it stems from may be gone by then. */
export function inherit(child: Session, inherited: Inherited, plan: readonly PlanEntry[] | undefined): void {
  if (inherited.systemPrompt !== undefined || inherited.decisions.length > 0) {
    const bytes = Buffer.from(JSON.stringify(inherited))
    const hash = new Bun.CryptoHasher("sha256").update(bytes).digest("hex")
    child.record.inherited = hash
    const { store, rows } = child.context
    store.write(() => rows.saveBlob(child.record.uid, hash, "application/json", bytes))
  }
  if (plan !== undefined)
    child.rememberSequence("plan", child.append("plan.updated", { entries: [...plan] }, "daemon", true))
}
