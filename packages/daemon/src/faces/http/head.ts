/**
 * HEAD is answered by whoever answers GET. The runtime never begins the body then, and its signal stays silent, also when the client goes: what a
 * handler holds for the reader of a body it would hold for ever. So its request is over as soon as the head is there.
 */
export async function headOnly(request: Request, answer: () => Response | Promise<Response>): Promise<Response> {
  const answered = new AbortController()
  const signal = AbortSignal.any([request.signal, answered.signal])
  // On the request itself, not on a copy: the runtime knows the connection by this one.
  Object.defineProperty(request, "signal", { value: signal })
  try {
    return await answer()
  } finally {
    answered.abort()
  }
}
