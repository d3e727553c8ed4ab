import { join } from "node:path"
import type { Extracted } from "../document.ts"
import { unpacked } from "../packages.ts"
import { convertedBy, fromDeclarations, variantsBy } from "./declarations.ts"

const sdk = "@sourcegraph/amp-sdk"

/** The only types Amp publishes are its SDK's, which has versions of its own and no newer one than this. */
export const ampTypesVersion = "0.1.0-20260126121723-gc94da34"

/** Just enough of Zod 3 to know what a schema gives: its type is written out as an argument. */
const opaque = `
declare module "zod" {
  export namespace z {
    export type ZodTypeAny = unknown
    export type ZodTypeDef = unknown
    export type ZodString = unknown
    export type ZodBoolean = unknown
    export type ZodLiteral<T> = unknown
    export type ZodEnum<T> = unknown
    export type ZodOptional<T> = unknown
    export type ZodDefault<T> = unknown
    export type ZodRecord<K, T> = unknown
    export type ZodUnion<T> = unknown
    export type ZodArray<T, C> = unknown
    export type ZodType<A = unknown, B = unknown, C = unknown> = unknown
    export interface ZodObject<Shape, Keys, Rest, Output, Input> { _output: Output }
    export interface ZodEffects<Of, Output, Input> { _output: Output }
    export type TypeOf<T extends { _output: unknown }> = T["_output"]
    export { TypeOf as infer }
  }
}
`

export function extractAmp(version: string): Extracted {
  const types = join("node_modules", sdk, "dist/types.d.ts")
  const folder = unpacked(`amp-types-${version}`, { [sdk]: version }, types)
  const wanted = ["StreamMessage", "UserInputMessage", "Permission"]
  const definitions = fromDeclarations({ files: [join(folder, types)], types: wanted, words: false, opaque })
  return {
    source: `${sdk}@${version}`,
    extracted: `dist/types.d.ts by ${convertedBy}`,
    methods: { messages: variantsBy(definitions.StreamMessage, ["type", "subtype"], definitions) },
    definitions,
  }
}
