import { acpLimits } from "@sandbox-agent/schema/acp-limits"
import type { Event } from "@sandbox-agent/schema/event"
import type { AcpRows } from "../../store/acp-rows.ts"
import { headOf, type ItemHead } from "./projection/head.ts"

/** What deltas do not say of their items. A cache: what is not in it stands in the rows. */
export class Heads {
  readonly #heads = new Map<string, ItemHead | undefined>()

  constructor(readonly rows: AcpRows) {}

  /** The head of the item that an event is of, when the event itself does not hold it. */
  at(uid: number, event: Event): ItemHead | undefined {
    if (event.type === "item.started") this.#keep(`${uid} ${event.data.item.item_id}`, headOf(event.data.item))
    if (event.type === "item.completed") this.#heads.delete(`${uid} ${event.data.item.item_id}`)
    if (event.type !== "item.delta") return undefined
    const key = `${uid} ${event.data.item_id}`
    if (this.#heads.has(key)) return this.#heads.get(key)
    const item = this.rows.item(uid, event.data.item_id)
    return this.#keep(key, item && headOf(item))
  }

  #keep(key: string, head: ItemHead | undefined): ItemHead | undefined {
    for (const oldest of this.#heads.keys()) {
      if (this.#heads.size < acpLimits.itemHeads) break
      this.#heads.delete(oldest)
    }
    this.#heads.set(key, head)
    return head
  }
}
