import type { Page } from "playwright-core"
import { expect } from "vitest"

/** Whoever has no pointer: keys go where the focus is, and it is moved by keys alone. */
export class Keyboard {
  constructor(private readonly page: Page) {}

  /** What has the focus, as a reader would name it. */
  focused(): Promise<string> {
    return this.page.evaluate<string>(
      "(document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent ?? '').trim()",
    )
  }

  async press(...keys: string[]): Promise<void> {
    for (const key of keys) await this.page.keyboard.press(key)
  }

  type(text: string): Promise<void> {
    return this.page.keyboard.type(text)
  }

  async isAt(what: RegExp | string): Promise<void> {
    await expect.poll(() => this.focused()).toMatch(what)
  }

  /** Presses Tab until it is there, at most so often: what is far away is not reached. */
  async reach(what: RegExp, most: number, key = "Tab"): Promise<void> {
    for (let presses = 0; presses < most && !what.test(await this.focused()); presses++) await this.press(key)
    expect(await this.focused()).toMatch(what)
  }

  /** Out of whatever is typed into, so that keys of the page count. */
  async leave(): Promise<void> {
    await this.page.evaluate("document.activeElement.blur()")
  }
}
