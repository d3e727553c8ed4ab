import type { Series } from "../measure/series.ts"
import { atMost, type Row } from "../row.ts"
import { type AcpRouteName, ourNames, oursBy } from "../target/acp-routes.ts"

/** p50 and p99 of one figure, for every way to ask ours that was measured; `p50` is the bar for the first. */
export const latencyRows = (figures: Series<AcpRouteName>, what: string, p50?: number): Row[] =>
  ourNames
    .filter((name) => figures.of(name).length > 0)
    .flatMap((name) =>
      ([0.5, 0.99] as const).map((p) => ({
        name: `${oursBy[name]}: ${what}, p${p * 100}`,
        unit: "ms",
        ours: figures.at(name, p),
        floor: figures.at("floor", p),
        peer: figures.at("peer", p),
        ...(p === 0.5 && p50 !== undefined && { bar: atMost(figures.at(name, p) ?? Number.NaN, p50, "ms") }),
      })),
    )
