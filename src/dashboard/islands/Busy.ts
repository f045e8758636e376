/** Shows that a form is under way: its button turns immediately, and after a second a line says how long it has been at work. */
import { announce, make } from "./Dom.ts"

/** Shorter waits need no line, milliseconds. */
const patience = 1000

let timer = 0

export const showIdle = (): void => {
  clearInterval(timer)
  document.getElementById("working")?.remove()
  for (const button of document.querySelectorAll("[data-busy]")) button.removeAttribute("data-busy")
}

/** The button's own words: "Start drill" at work. */
const wordsOf = (button: HTMLElement): string => (button.textContent ?? "").replace(/…$/, "").trim()

export const showBusy = (form: HTMLFormElement, button: HTMLElement | null): void => {
  showIdle()
  button?.setAttribute("data-busy", "")
  const words = button === null ? "" : wordsOf(button)
  const since = Date.now()
  const line = make("div", { id: "working", role: "status" }, make("progress", { "aria-label": words }), make("span"))
  timer = window.setInterval(() => {
    const seconds = Math.floor((Date.now() - since) / 1000)
    const text = `${words === "" ? "Working" : words}: ${seconds} s`
    line.lastElementChild?.replaceChildren(text)
    if (line.isConnected) return
    // Said once: a screen reader would read out each second.
    line.setAttribute("aria-live", "off")
    document.body.append(line)
    announce(`${words === "" ? "Working" : words}: under way`)
  }, patience)
  form.setAttribute("aria-busy", "true")
}
