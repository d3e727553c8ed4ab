import type { Arm } from "./arm.ts"

/** A real agent as the bench runs it: through the daemon, and alone. */
export interface BenchAgent {
  name: string
  title: string
  version: string
  /** It says a text in one piece: there is nothing to flood with. */
  inOnePiece?: true
  /** What a download means. */
  size: string
  isHere(): boolean
  /** The folder of its program, for the PATH of the daemon; fetched when it is not here. */
  folder(): string
  /** What the daemon must find in its data directory. */
  prepare?(data: string): void
  /** What makes it take the scripted model for its own: for the daemon it runs under, and for each session. */
  environment(home: string, modelUrl: string): { daemon?: Record<string, string>; session?: Record<string, string> }
  /** With what each session is created beside its environment. */
  session?: Record<string, unknown>
  /** The agent as the daemon starts it, driven by the least there is. */
  alone(modelUrl: string): Promise<Arm>
  /** Where sessions share a server: one server for each, as without anybody to share it. */
  apart?(modelUrl: string): Promise<Arm>
  /** Another way to run it, that ours shall not be worse than. */
  beside?: { title: string; arm(modelUrl: string): Promise<Arm> }
}
