/** Variables that hold the key of a model provider, by the provider's name in OpenCode and Pi. */
export const providerVariables: Readonly<Record<string, readonly string[]>> = {
  anthropic: ["ANTHROPIC_API_KEY"],
  openai: ["OPENAI_API_KEY"],
  google: ["GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY", "GOOGLE_API_KEY"],
  openrouter: ["OPENROUTER_API_KEY"],
  groq: ["GROQ_API_KEY"],
  xai: ["XAI_API_KEY"],
  mistral: ["MISTRAL_API_KEY"],
  deepseek: ["DEEPSEEK_API_KEY"],
  cerebras: ["CEREBRAS_API_KEY"],
  together: ["TOGETHER_API_KEY"],
  fireworks: ["FIREWORKS_API_KEY"],
  moonshotai: ["MOONSHOT_API_KEY"],
  zai: ["ZAI_API_KEY"],
  minimax: ["MINIMAX_API_KEY"],
  perplexity: ["PERPLEXITY_API_KEY"],
  cohere: ["COHERE_API_KEY"],
  huggingface: ["HF_TOKEN"],
  opencode: ["OPENCODE_API_KEY"],
  "kimi-for-coding": ["KIMI_API_KEY"],
  vercel: ["AI_GATEWAY_API_KEY"],
  azure: ["AZURE_API_KEY", "AZURE_OPENAI_API_KEY"],
  "amazon-bedrock": ["AWS_BEARER_TOKEN_BEDROCK"],
}

/** The same provider under its other names. */
const alsoCalled: Readonly<Record<string, string>> = {
  "kimi-coding": "kimi-for-coding",
  "vercel-ai-gateway": "vercel",
  "azure-openai-responses": "azure",
  "openai-codex": "openai",
  togetherai: "together",
  "fireworks-ai": "fireworks",
  "moonshotai-cn": "moonshotai",
  "opencode-go": "opencode",
}

export function variablesOf(provider: string): readonly string[] {
  return providerVariables[alsoCalled[provider] ?? provider] ?? []
}
