import { useDaemon } from "../daemon-context.ts"
import { bytes, duration } from "../ui/words.ts"
import { useAsked } from "./asked.ts"

interface Figure {
  name: string
  help: string
  values: { labels: string; value: number }[]
}

/** What the daemon counts, as Prometheus would read it. */
export function Metrics() {
  const { client } = useDaemon()
  const { value: text, error } = useAsked(() => client.getMetrics(), [client], 3000)
  const { value: health } = useAsked(() => client.getHealth(), [client], 3000)
  return (
    <>
      {error && <p className="note bad">{error}</p>}
      {health && (
        <p className="facts metrics-head">
          <span>version {health.version}</span>
          <span>up {duration(health.uptimeMs)}</span>
        </p>
      )}
      <dl className="facts-list">
        {figuresOf(text ?? "").map(({ name, help, values }) => (
          <div key={name}>
            <dt title={help}>{name.replace(/^sandbox_agent_/, "").replaceAll("_", " ")}</dt>
            <dd>
              {values.map(({ labels, value }) => (
                <p key={labels}>
                  {name.includes("bytes") ? bytes(value) : value.toLocaleString()}{" "}
                  {labels && <span className="soft">{labels}</span>}
                </p>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </>
  )
}

function figuresOf(text: string): Figure[] {
  const figures = new Map<string, Figure>()
  const of = (name: string): Figure => {
    const found = figures.get(name) ?? { name, help: "", values: [] }
    figures.set(name, found)
    return found
  }
  for (const line of text.split("\n")) {
    const help = /^# HELP (\S+) (.*)$/.exec(line)
    if (help) of(help[1] ?? "").help = help[2] ?? ""
    const value = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line)
    if (value) of(value[1] ?? "").values.push({ labels: (value[2] ?? "").replaceAll('"', ""), value: Number(value[3]) })
  }
  return [...figures.values()].filter(({ values }) => values.length > 0)
}
