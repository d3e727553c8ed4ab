/** A promise that somebody else settles. */
export interface Deferred<T> {
  promise: Promise<T>
  resolve: (value: T) => void
  reject: (error: unknown) => void
}

/** `Promise.withResolvers`, which Node 20 has not. */
export function withResolvers<T>(): Deferred<T> {
  let resolve: Deferred<T>["resolve"] = () => undefined
  let reject: Deferred<T>["reject"] = () => undefined
  const promise = new Promise<T>((yes, no) => {
    resolve = yes
    reject = no
  })
  return { promise, resolve, reject }
}
