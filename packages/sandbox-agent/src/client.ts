import { Rest } from "./api/rest.ts"
import { UniversalApi } from "./api/universal.ts"
import { type HttpClientOptions, httpOf } from "./options.ts"

/** A client of one daemon. */
export class SandboxAgentClient extends UniversalApi {
  /** Every operation of the API by its name, also those that session calls share theirs with. */
  readonly rest: Rest

  constructor(options: HttpClientOptions) {
    const http = httpOf(options)
    super(http)
    this.rest = new Rest(http)
  }
}
