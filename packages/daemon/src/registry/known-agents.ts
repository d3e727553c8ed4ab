/** What is known by an id, looked after before anybody reads it. */
export class KnownAgents<V> extends Map<string, V> {
  /** Called before each reading. */
  look: () => void = () => {}

  override get(id: string): V | undefined {
    this.look()
    return super.get(id)
  }

  override has(id: string): boolean {
    this.look()
    return super.has(id)
  }

  override keys(): MapIterator<string> {
    this.look()
    return super.keys()
  }

  override values(): MapIterator<V> {
    this.look()
    return super.values()
  }

  override entries(): MapIterator<[string, V]> {
    this.look()
    return super.entries()
  }

  override [Symbol.iterator](): MapIterator<[string, V]> {
    return this.entries()
  }
}
