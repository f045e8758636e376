/** The command palette: all views, monitors by name, and what can be done, with a monitor as well ("pause shop"). */
import { render } from "preact"
import "../../pages/html/TextMarkup.ts"
import { useEffect, useState } from "preact/hooks"
import { account, actions, navigation, settings } from "../frame/Sections.ts"
import { themes } from "../Theme.ts"
import { may, openDialog } from "./Dom.ts"
import { monitorActions, runAction } from "./lists/MonitorActions.ts"
import { monitorsLike, textOf, useFound } from "./Search.ts"
import { setTheme } from "./Themes.ts"

interface Entry {
  readonly name: string
  readonly note: string
  readonly act: () => void
}

/** More than all commands, so that the list is complete. */
const most = 80

const leading = (name: string, note: string, path: string): Entry => ({ name, note, act: () => location.assign(path) })

/** The action that the first word names, and the rest: "pause shop". */
const actionIn = (typed: string) => {
  const [verb = "", ...rest] = typed.trim().split(/\s+/)
  const action = Object.entries(monitorActions).find(([name]) => name === verb.toLowerCase())?.[1]
  return rest.length > 0 && action !== undefined && may(action.operation) ? { action, name: rest.join(" ") } : null
}

const search = async (typed: string): Promise<ReadonlyArray<Entry>> => {
  const wanted = actionIn(typed)
  const action = wanted?.action
  return (await monitorsLike(wanted?.name ?? typed)).flatMap((row): ReadonlyArray<Entry> => {
    const [id, name, note] = [textOf(row["id"]), textOf(row["name"]), `Monitor, ${textOf(row["state"])}`]
    return action === undefined
      ? [leading(name, note, `/app/monitors/${id}`)]
      : [{ name: `${action.name}: ${name}`, note, act: () => void runAction(action, id, name) }]
  })
}

/** Entries that begin with the text precede those that have it elsewhere. */
const matching = (commands: ReadonlyArray<Entry>, wanted: string): ReadonlyArray<Entry> => {
  const at = ({ name }: Entry) => name.toLowerCase().indexOf(wanted)
  return commands.filter((one) => at(one) >= 0).sort((a, b) => Math.min(at(a), 1) - Math.min(at(b), 1))
}

const Palette = ({ close, commands }: { readonly commands: ReadonlyArray<Entry>; readonly close: () => void }) => {
  const [typed, setTyped] = useState("")
  const [at, setAt] = useState(0)
  const more = useFound(typed, search)
  const wanted = typed.trim().toLowerCase()
  const entries = [...matching(commands, wanted), ...more].slice(0, most)
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
        placeholder="A view, a monitor, an action, or “pause shop”"
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

const views: ReadonlyArray<readonly [path: string, name: string, note: string, call?: string | undefined]> = [
  ...navigation.flatMap(([, entries]) => entries.map(([, path, name]) => [path, name, "View"] as const)),
  ...settings.map(([, path, name, call]) => [path, name, "Settings", call] as const),
  ...account.map(([path, name]) => [path, name, "Your account"] as const),
  ["/app/incidents/templates", "Incident templates", "View"],
  ["/app/deploys", "Deploys", "View"],
  ["/docs", "API reference", "View"]
]

const lists: ReadonlyArray<readonly [path: string, name: string]> = [
  ["/app/monitors?group=tag", "Monitors by tag"],
  ["/app/monitors?sort=name", "Monitors by name"]
]

const commands = (): ReadonlyArray<Entry> => [
  ...views.filter(([, , , call]) => call === undefined || may(call)).map(([path, name, note]) => leading(name, note, path)),
  ...actions.filter(([, , call]) => may(call)).map(([path, name]) => leading(name, "Action", path)),
  ...lists.map(([path, name]) => leading(name, "Action", path)),
  ...themes.map((theme): Entry => ({ name: `Theme: ${theme}`, note: "Action", act: () => setTheme(theme) }))
]

export const openPalette = (): void => {
  if (document.querySelector("dialog[open]") !== null) return
  openDialog("Search and commands", (dialog) => render(<Palette commands={commands()} close={() => dialog.close()} />, dialog))
}
