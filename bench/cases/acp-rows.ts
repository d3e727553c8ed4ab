import type { Series } from "../measure/series.ts"
import type { Row } from "../row.ts"
import { type LaneName, ourNames, oursBy } from "../target/acp-lanes.ts"

/** p50 and p99 of one figure, for the ways in which ours was asked. */
export const latencyRows = (figures: Series<LaneName>, what: string): Row[] =>
  ourNames
    .filter((name) => figures.of(name).length > 0)
    .flatMap((name) =>
      ([0.5, 0.99] as const).map((p) => ({
        name: `${oursBy[name]}: ${what}, p${p * 100}`,
        unit: "ms",
        ours: figures.at(name, p),
        floor: figures.at("floor", p),
        peer: figures.at("peer", p),
      })),
    )
