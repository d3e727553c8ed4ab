/** What is searched for, as the daemon tells the program that searches. */
export interface SearchQuery {
  /** Where it really is, one character for each byte; the program goes no further. */
  root: string
  /** Folders that are passed over. */
  never: readonly string[]
  pattern: string
  mode: "names" | "text" | "regex"
  ignoreCase: boolean
  /** As in an ignore file; what they match is searched, with `!` it is not. */
  globs: readonly string[]
  hidden: boolean
  gitignore: boolean
  context: number
  limit: number
}
