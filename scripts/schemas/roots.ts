/** What a driver reads and writes of its agent: the types made for it are these and everything they name. */
export interface Roots {
  /** By kind, the native names, as in `x-methods` of `schemas/<agent>.json`. */
  methods: Readonly<Record<string, readonly string[]>>
  /** Definitions, as in `$defs`. */
  types: readonly string[]
  /** Definitions nobody reads into: only the values that tell them from others are kept. */
  brief?: readonly string[]
}
