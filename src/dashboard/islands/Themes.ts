/** Switches between light, dark and the system's mode in the open view, and keeps the choice for the next ones. */
import { type Theme, themeCookie, themeKeptSec, themeNamed } from "../Theme.ts"

/** The event after a switch, for canvases that CSS does not style. */
export const themeChanged = "belltower:theme"

export const setTheme = (theme: Theme): void => {
  document.cookie = `${themeCookie}=${theme};path=/;max-age=${themeKeptSec};samesite=lax`
  const root = document.documentElement
  if (theme === "system") delete root.dataset["theme"]
  else root.dataset["theme"] = theme
  for (const button of document.querySelectorAll<HTMLButtonElement>("[data-themes] button")) {
    button.setAttribute("aria-pressed", String(button.value === theme))
  }
  // The colour of the browser's own frame.
  for (const meta of document.querySelectorAll<HTMLMetaElement>("meta[name=theme-color]")) {
    const mode = theme === "system" ? (meta.media.includes("dark") ? "dark" : "light") : theme
    meta.content = meta.dataset[mode] ?? meta.content
  }
  dispatchEvent(new Event(themeChanged))
}

export const followThemes = (): void => {
  document.addEventListener("submit", (event) => {
    const chosen = event.submitter
    if (!(chosen instanceof HTMLButtonElement) || chosen.closest("[data-themes]") === null) return
    event.preventDefault()
    setTheme(themeNamed(chosen.value))
  })
}
