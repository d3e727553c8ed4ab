export type TabId = "details" | "events" | "timeline" | "http"

export const tabs: readonly { id: TabId; label: string; needsSession: boolean }[] = [
  { id: "details", label: "Details", needsSession: true },
  { id: "events", label: "Events", needsSession: true },
  { id: "timeline", label: "Timeline", needsSession: true },
  { id: "http", label: "HTTP", needsSession: false },
]
