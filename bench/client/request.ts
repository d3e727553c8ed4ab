/** A request as bytes, for clients that speak to the socket themselves. */
export function rawRequest(method: string, path: string, port: number, token?: string, extra: string[] = []): string {
  const lines = [`${method} ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, ...extra]
  if (token !== undefined) lines.push(`Authorization: Bearer ${token}`)
  return `${lines.join("\r\n")}\r\n\r\n`
}
