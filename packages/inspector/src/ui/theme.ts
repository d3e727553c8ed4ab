import { kept } from "../store.ts"

export type Theme = "system" | "light" | "dark"

export const theme = kept<Theme>("theme", "system")

const apply = (): void => {
  if (theme.value === "system") delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme.value
}
theme.subscribe(apply)
apply()

/** What the reader sees now, and the other one. */
export function toggleTheme(): void {
  const dark = theme.value === "system" ? matchMedia("(prefers-color-scheme: dark)").matches : theme.value === "dark"
  theme.set(dark ? "light" : "dark")
}
