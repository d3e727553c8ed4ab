import type { Target } from "../target/target.ts"
import { percentile } from "./stats.ts"

/** Figures by whom they were measured on. */
export class Series<Name extends string = Target["name"]> {
  readonly #figures = new Map<Name, number[]>()

  add(name: Name, ...figures: number[]): void {
    const known = this.#figures.get(name)
    if (known === undefined) this.#figures.set(name, figures)
    else known.push(...figures)
  }

  of(name: Name): readonly number[] {
    return this.#figures.get(name) ?? []
  }

  /** Absent for a target that was not measured. */
  at(name: Name, p: number): number | undefined {
    const figures = this.#figures.get(name)
    return figures === undefined ? undefined : percentile(figures, p)
  }

  median(name: Name): number | undefined {
    return this.at(name, 0.5)
  }
}
