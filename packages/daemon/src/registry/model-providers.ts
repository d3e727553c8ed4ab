import type { Variables } from "../supervisor/environment.ts"

/** Model providers: what an agent gets that lets its user choose among them. */
export const modelProviders: Variables = [
  ...["ANTHROPIC_*", "OPENAI_*", "GEMINI_*", "GOOGLE_*", "VERTEX_*", "AWS_*", "AZURE_*", "OPENROUTER_*", "GROQ_*"],
  ...["XAI_*", "MISTRAL_*", "DEEPSEEK_*", "CEREBRAS_*", "TOGETHER_*", "FIREWORKS_*", "MOONSHOT_*", "KIMI_*", "ZAI_*"],
  ...["MINIMAX_*", "PERPLEXITY_*", "COHERE_*", "HF_*", "DASHSCOPE_*", "NVIDIA_API_KEY", "OPENCODE_API_KEY"],
  ...["OLLAMA_*", "LMSTUDIO_*", "LITELLM_*", "AI_GATEWAY_*"],
]
