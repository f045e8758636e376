/** Keyboard shortcuts: `g` and a letter goes to a view, `/` to the search, `?` shows them all, Ctrl+K opens the palette. */

const places: Readonly<Record<string, readonly [path: string, name: string]>> = {
  o: ["/app", "Overview"],
  m: ["/app/monitors", "Monitors"],
  i: ["/app/incidents", "Incidents"],
  w: ["/app/maintenance", "Maintenance"],
  p: ["/app/pages", "Status pages"],
  c: ["/app/channels", "Channels"],
  d: ["/app/deliveries", "Deliveries"],
  e: ["/app/escalation", "Escalation"],
  s: ["/app/on-call", "On call"]
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches("input,select,textarea"))

const row = (keys: ReadonlyArray<string>, text: string): HTMLElement => {
  const item = document.createElement("div")
  item.className = "keys"
  const left = document.createElement("span")
  for (const key of keys) {
    const kbd = document.createElement("kbd")
    kbd.textContent = key
    left.append(kbd, " ")
  }
  const right = document.createElement("span")
  right.textContent = text
  item.append(left, right)
  return item
}

const help = (): void => {
  const dialog = document.createElement("dialog")
  dialog.setAttribute("aria-label", "Keyboard shortcuts")
  const body = document.createElement("div")
  body.className = "body stack"
  const title = document.createElement("h2")
  title.textContent = "Keyboard shortcuts"
  body.append(
    title,
    row(["Ctrl", "K"], "Search and commands"),
    row(["/"], "Go to the filter of this view"),
    row(["n"], "New monitor"),
    ...Object.entries(places).map(([key, [, name]]) => row(["g", key], name)),
    row(["?"], "This list"),
    row(["Esc"], "Close")
  )
  dialog.append(body)
  dialog.addEventListener("close", () => dialog.remove())
  document.body.append(dialog)
  dialog.showModal()
}

const palette = (): void => {
  void import("./Palette.tsx").then(({ openPalette }) => openPalette(Object.values(places)))
}

export const followShortcuts = (): void => {
  let afterG = false
  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
      event.preventDefault()
      return palette()
    }
    if (
      event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || document.querySelector("dialog[open]") !== null
    ) return
    if (afterG) {
      afterG = false
      const place = places[event.key]
      if (place !== undefined) location.assign(place[0])
      return
    }
    if (event.key === "g") {
      afterG = true
      setTimeout(() => {
        afterG = false
      }, 1500)
    } else if (event.key === "?") help()
    else if (event.key === "n") location.assign("/app/monitors/new")
    else if (event.key === "/") {
      const filter = document.querySelector<HTMLElement>("main input[type=search]")
      if (filter === null) return palette()
      event.preventDefault()
      filter.focus()
    }
  })
  for (const button of document.querySelectorAll<HTMLElement>("[data-palette]")) {
    button.hidden = false
    button.addEventListener("click", palette)
  }
}
