import type { Item, Session } from "sandbox-agent"
import { adjust, hashOf } from "../route.ts"
import { Icon } from "../ui/icon.tsx"
import { copyText } from "../ui/notices.tsx"
import { markdownOf } from "./as-markdown.ts"

/** What can be done with an item, shown while it is pointed at or has the focus. */
export function ItemTools({ session, item, result }: { session: Session; item: Item; result: Item | undefined }) {
  const link = `${location.origin}${location.pathname}${hashOf({ session: session.id, item: item.item_id })}`
  const from = session.transcript.spanOf(item.item_id)?.from
  return (
    <div className="item-tools">
      <button
        type="button"
        className="icon-button"
        aria-label="Copy as markdown"
        title="Copy as markdown"
        onClick={() => void copyText(markdownOf([item, ...(result ? [result] : [])]))}
      >
        <Icon name="copy" size={14} />
      </button>
      <button
        type="button"
        className="icon-button"
        aria-label="Copy link"
        title="Copy link"
        onClick={() => void copyText(link, "Link copied")}
      >
        <Icon name="link" size={14} />
      </button>
      {from !== undefined && (
        <button
          type="button"
          className="icon-button"
          aria-label="Show its events"
          title="Show its events"
          onClick={() => adjust({ tab: "events", event: from, item: item.item_id })}
        >
          <Icon name="pulse" size={14} />
        </button>
      )}
    </div>
  )
}
