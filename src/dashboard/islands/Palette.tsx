/** The command palette: views, monitors and pages by name. */
import { render } from "preact"
import "../../pages/html/TextMarkup.ts"
import { useEffect, useState } from "preact/hooks"
import { themes } from "../Theme.ts"
import { openDialog } from "./Dom.ts"
import { monitorsLike, textOf, useFound } from "./Search.ts"
import { setTheme } from "./Themes.ts"

interface Entry {
  readonly name: string
  readonly note: string
  readonly act: () => void
}

/** More than all commands, so that the list is complete. */
const most = 20

const leading = (name: string, note: string, path: string): Entry => ({ name, note, act: () => location.assign(path) })

const search = async (typed: string): Promise<ReadonlyArray<Entry>> =>
  (await monitorsLike(typed)).map(({ id, name, state }) =>
    leading(textOf(name), `Monitor, ${textOf(state)}`, `/app/monitors/${textOf(id)}`)
  )

const Palette = ({ close, commands }: { readonly commands: ReadonlyArray<Entry>; readonly close: () => void }) => {
  const [typed, setTyped] = useState("")
  const [at, setAt] = useState(0)
  const more = useFound(typed, search)
  const wanted = typed.trim().toLowerCase()
  const entries = [...commands.filter(({ name }) => name.toLowerCase().includes(wanted)), ...more].slice(0, most)
  const current = entries[Math.min(at, entries.length - 1)]
  const marked = current === undefined ? undefined : `palette-${entries.indexOf(current)}`
  useEffect(() => {
    if (marked !== undefined) document.getElementById(marked)?.scrollIntoView({ block: "nearest" })
  }, [marked])
  const choose = ({ act }: Entry) => {
    close()
    act()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault()
      const step = event.key === "ArrowDown" ? 1 : -1
      setAt((before) => (Math.min(before, entries.length - 1) + step + entries.length) % Math.max(1, entries.length))
    } else if (event.key === "Enter" && current !== undefined) choose(current)
  }
  return (
    <div class="palette" onKeyDown={onKeyDown}>
      <input
        type="text"
        dir="auto"
        list={undefined}
        role="combobox"
        aria-label="Search and commands"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={marked}
        placeholder="Go to a view or a monitor"
        autofocus
        onInput={({ currentTarget }) => {
          setTyped(currentTarget.value)
          setAt(0)
        }}
      />
      <ul id="palette-list" role="listbox" aria-label="Results">
        {entries.map((entry, index) => (
          <li
            id={`palette-${index}`}
            role="option"
            aria-selected={entry === current}
            onClick={() => choose(entry)}
          >
            <span>{entry.name}</span>
            <span class="note">{entry.note}</span>
          </li>
        ))}
      </ul>
      {entries.length === 0 ? <p class="note" role="status">Nothing found.</p> : null}
    </div>
  )
}

export const openPalette = (places: ReadonlyArray<readonly [path: string, name: string]>): void => {
  if (document.querySelector("dialog[open]") !== null) return
  const commands: ReadonlyArray<Entry> = [
    ...places.map(([path, name]) => leading(name, "View", path)),
    leading("New monitor", "Command", "/app/monitors/new"),
    leading("New incident", "Command", "/app/incidents/new"),
    leading("Schedule maintenance", "Command", "/app/maintenance/new"),
    ...themes.map((theme): Entry => ({ name: `Theme: ${theme}`, note: "Command", act: () => setTheme(theme) }))
  ]
  openDialog("Search and commands", (dialog) => render(<Palette commands={commands} close={() => dialog.close()} />, dialog))
}
