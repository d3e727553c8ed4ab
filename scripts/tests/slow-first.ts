import { BaseSequencer, type TestSpecification } from "vitest/node"

/** What takes long begins first, so that no long file is left when the others are done. */
const order = [
  /conformance\/test\/.*(opencode|added-vendor)/,
  /conformance\/test\/.*(gemini|qwen)/,
  /conformance\/test\/(face\/)?(acp-|amp|claude|codex|create|pi)/,
  /\/chaos\//,
  /\/(fuzz|soak)\//,
  /drivers\/opencode\/(resume|server|settings|turns)/,
  /(streaming\/stalled|every(-limit)?\.test)/,
  /daemon\/test\/(hostile|memory|rights)\//,
  /durability\/(kill|visible|retention)/,
  /drivers\/(claude|codex|opencode|acp)\//,
  /acp-http-client\/test\/(qwen|daemon|runtimes|reconnect)/,
  /daemon\/test\/(acp|cli|durability|install|streaming)\//,
  /(conformance|inspector|sandbox-agent)\/test\//,
]

const place = ({ moduleId }: TestSpecification): number => {
  const found = order.findIndex((pattern) => pattern.test(moduleId))
  return found < 0 ? order.length : found
}

export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // Within a place as vitest has it: what failed or took long the last time.
    const sorted = await super.sort(files)
    return sorted
      .map((file, at) => ({ file, at }))
      .sort((a, b) => place(a.file) - place(b.file) || a.at - b.at)
      .map(({ file }) => file)
  }
}
