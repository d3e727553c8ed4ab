import { randomUUID } from "node:crypto"

/** Short ids that no other run of the agent gives: a resumed session goes on with new ones. */
export class Ids {
  private readonly prefix = randomUUID().slice(0, 8)
  private count = 0

  next(): string {
    this.count += 1
    return `${this.prefix}.${this.count}`
  }
}
