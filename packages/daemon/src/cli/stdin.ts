/** All of stdin as text. */
export async function readStdin(): Promise<string> {
  return await Bun.stdin.text()
}
