interface Dispatcher {
  dispatch(options: object, handler: unknown): boolean
}

/** Where Node has what its `fetch` sends by, once anything of it was used; no other runtime has it. */
const place = Symbol.for("undici.globalDispatcher.1")

/**
 * Node's own `fetch` gives up a request whose headers, or whose next bytes, take five minutes. A turn may take hours: our
 * limits alone say what is too long. Proxies and whatever else the program has set stay in force.
 */
export function patient(init: RequestInit): RequestInit {
  const dispatcher = (globalThis as { [place]?: Dispatcher })[place]
  if (typeof dispatcher?.dispatch !== "function") return init
  const dispatch: Dispatcher["dispatch"] = (options, handler) =>
    dispatcher.dispatch({ ...options, headersTimeout: 0, bodyTimeout: 0 }, handler)
  return Object.assign(init, { dispatcher: Object.create(dispatcher, { dispatch: { value: dispatch } }) })
}
