/** Where a provider answers, and the variable that puts another address in its place. */
export const providerAddresses: Readonly<Record<string, { variable?: string; address: string }>> = {
  anthropic: { variable: "ANTHROPIC_BASE_URL", address: "https://api.anthropic.com" },
  openai: { variable: "OPENAI_BASE_URL", address: "https://api.openai.com" },
  google: { address: "https://generativelanguage.googleapis.com" },
  openrouter: { address: "https://openrouter.ai" },
  amp: { variable: "AMP_URL", address: "https://ampcode.com" },
}
