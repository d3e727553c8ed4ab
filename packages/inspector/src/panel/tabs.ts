export type TabId = "details" | "events" | "timeline" | "http" | "files" | "processes" | "terminal" | "metrics"

export const tabs: readonly { id: TabId; label: string; needsSession: boolean }[] = [
  { id: "details", label: "Details", needsSession: true },
  { id: "events", label: "Events", needsSession: true },
  { id: "timeline", label: "Timeline", needsSession: true },
  { id: "http", label: "HTTP", needsSession: false },
  { id: "files", label: "Files", needsSession: false },
  { id: "processes", label: "Processes", needsSession: false },
  { id: "terminal", label: "Terminal", needsSession: false },
  { id: "metrics", label: "Metrics", needsSession: false },
]
