import { nativeAgents } from "../drivers/table.ts"

/** Where a provider answers, and the variable that puts another address in its place. */
export const providerAddresses: Readonly<Record<string, { variable?: string; address: string }>> = {
  anthropic: { variable: "ANTHROPIC_BASE_URL", address: "https://api.anthropic.com" },
  openai: { variable: "OPENAI_BASE_URL", address: "https://api.openai.com" },
  google: { address: "https://generativelanguage.googleapis.com" },
  openrouter: { address: "https://openrouter.ai" },
  ...Object.fromEntries(
    nativeAgents.flatMap(({ credentials }) => {
      const { name, ...where } = credentials?.provider ?? {}
      return name === undefined ? [] : [[name, where]]
    }),
  ),
}
