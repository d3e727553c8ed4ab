import { answering } from "../http/answer.ts"
import { inFlight } from "../http/in-flight.ts"
import { socketFigures } from "../http/socket.ts"
import { open } from "../http/sse.ts"
import type { Services } from "../services.ts"

/** Figures in the Prometheus text format. */
export function metricsText({ figures, sessions, startedAt, children }: Services): string {
  const { stats, faults } = figures()
  const byStatus = new Map<string, number>()
  for (const s of sessions.loaded) byStatus.set(s.status, (byStatus.get(s.status) ?? 0) + 1)
  const live = children()
  const sockets = socketFigures()
  const lines = [
    ...metric("uptime_seconds", "gauge", "Seconds since start", [["", (performance.now() - startedAt) / 1000]]),
    ...metric("resident_bytes", "gauge", "Resident memory of the daemon", [["", process.memoryUsage.rss()]]),
    ...metric("events_total", "counter", "Events committed", [["", stats.events]]),
    ...metric("event_bytes_total", "counter", "Bytes of events committed", [["", stats.bytes]]),
    ...metric("commits_total", "counter", "Transactions committed", [["", stats.commits]]),
    ...metric("commit_failures_total", "counter", "Transactions that failed", [["", stats.failures]]),
    ...metric("streams_open", "gauge", "Event streams open", [["", open.streams]]),
    ...metric("stream_waiting_bytes", "gauge", "Bytes given to streams and WebSockets that clients have not taken", [
      ["", inFlight.bytes],
    ]),
    ...metric("answers_open", "gauge", "Long answers that clients are taking", [["", answering.answers]]),
    ...metric("sockets_open", "gauge", "WebSockets open", [["", sockets.open]]),
    ...metric("socket_buffered_bytes", "gauge", "Bytes that clients of WebSockets have not taken", [
      ["", sockets.bytes],
    ]),
    ...metric("sessions_loaded", "gauge", "Sessions in memory by status", labelled("status", byStatus)),
    ...metric("agent_processes", "gauge", "Agent processes alive", [["", live.length]]),
    ...metric("agent_resident_bytes", "gauge", "Resident memory of agent processes", [
      ["", live.reduce((sum, c) => sum + (c.rssBytes ?? 0), 0)],
    ]),
    ...metric("driver_faults_total", "counter", "Corrections of what drivers did, by kind", labelled("kind", faults)),
  ]
  return `${lines.join("\n")}\n`
}

const labelled = (label: string, counts: ReadonlyMap<string, number>): [string, number][] =>
  [...counts].map(([value, count]) => [`{${label}="${value}"}`, count])

const metric = (name: string, type: string, help: string, values: [string, number][]): string[] => [
  `# HELP sandbox_agent_${name} ${help}`,
  `# TYPE sandbox_agent_${name} ${type}`,
  ...values.map(([labels, value]) => `sandbox_agent_${name}${labels} ${value}`),
]
