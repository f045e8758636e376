/** Keyboard shortcuts: `g` and a letter goes to a view, `/` to the search, `?` shows them all, Ctrl+K opens the palette. */
import { hasLetterKeys, isTyping, make, may, openDialog, setLetterKeys } from "./Dom.ts"

const sections: Readonly<Record<string, readonly [path: string, name: string]>> = {
  o: ["/app", "Overview"],
  m: ["/app/monitors", "Monitors"],
  i: ["/app/incidents", "Incidents"],
  w: ["/app/maintenance", "Maintenance"],
  p: ["/app/pages", "Status pages"],
  c: ["/app/channels", "Channels"],
  d: ["/app/deliveries", "Deliveries"],
  e: ["/app/escalation", "Escalation"],
  s: ["/app/on-call", "On call"],
  t: ["/app/members", "Settings"]
}

const modifier = /Mac|iPhone|iPad/.test(navigator.userAgent) ? "⌘" : "Ctrl"

const row = (keys: ReadonlyArray<string>, text: string): HTMLElement =>
  make(
    "div",
    { class: "keys" },
    make("span", {}, ...keys.flatMap((key) => [make("kbd", {}, key), " "])),
    make("span", {}, text)
  )

/** Switches the shortcuts off that are a letter or a sign alone. */
const switchOf = (): HTMLElement => {
  const box = make("input", { type: "checkbox" })
  box.checked = hasLetterKeys()
  box.addEventListener("change", () => setLetterKeys(box.checked))
  return make("label", { class: "choice" }, box, make("span", {}, "Single keys are shortcuts on this device"))
}

const help = (): void =>
  openDialog("Keyboard shortcuts", (dialog) =>
    dialog.append(make(
      "div",
      { class: "body stack" },
      // Not the box, where keys are not shortcuts: it would keep the focus for a moment after the dialog is closed.
      make("h2", { tabindex: "-1", autofocus: "" }, "Keyboard shortcuts"),
      switchOf(),
      row([modifier, "K"], "Search and commands"),
      row(["/"], "Go to the filter of this view"),
      ...may("create_monitor") ? [row(["n"], "New monitor")] : [],
      row(["j"], "Next monitor of the list"),
      row(["k"], "Previous monitor of the list"),
      row(["Enter"], "Open it"),
      row(["x"], "Select it"),
      row(["Shift", "x"], "Select from the last one to it"),
      ...Object.entries(sections).map(([key, [, name]]) => row(["g", key], name)),
      row(["?"], "This list"),
      row(["Esc"], "Close, or clear the selection")
    )))

const palette = (): void => {
  void import("./Palette.tsx").then(({ openPalette }) => openPalette())
}

export const followShortcuts = (): void => {
  let afterG = false
  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
      event.preventDefault()
      return palette()
    }
    if (
      event.ctrlKey || event.metaKey || event.altKey || isTyping(event) || !hasLetterKeys() ||
      document.querySelector("dialog[open]") !== null
    ) return
    if (afterG) {
      afterG = false
      const section = sections[event.key]
      if (section !== undefined) location.assign(section[0])
      return
    }
    if (event.key === "g") {
      afterG = true
      setTimeout(() => {
        afterG = false
      }, 1500)
    } else if (event.key === "?") help()
    else if (event.key === "n" && may("create_monitor")) location.assign("/app/monitors/new")
    else if (event.key === "/") {
      const filter = document.querySelector<HTMLElement>("main input[type=search]")
      if (filter === null) return palette()
      event.preventDefault()
      filter.focus()
    }
  })
  for (const button of document.querySelectorAll<HTMLElement>("[data-shortcuts]")) {
    button.hidden = false
    button.addEventListener("click", help)
  }
  for (const button of document.querySelectorAll<HTMLElement>("[data-palette]")) {
    button.hidden = false
    const keys = button.querySelector("kbd")
    if (keys !== null) keys.textContent = `${modifier} K`
    button.addEventListener("click", palette)
  }
}
