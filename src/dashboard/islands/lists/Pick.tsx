/** Chooses monitors by name for a field of their ids: a search, and the chosen ones with a button to remove each. */
import { render } from "preact"
import "../../../pages/html/TextMarkup.ts"
import { useEffect, useRef, useState } from "preact/hooks"
import { monitorsLike, recordAt, textOf, useFound } from "../Search.ts"

interface Found {
  readonly id: string
  readonly name: string
}

/** Names are asked for one by one; of more ids than these, the rest shows its ids. */
const mostNames = 40

const search = async (text: string): Promise<ReadonlyArray<Found>> =>
  (await monitorsLike(text)).map(({ id, name }) => ({ id: textOf(id), name: textOf(name) }))

const idsIn = (text: string): ReadonlyArray<string> => [...new Set(text.split(/[,\s]+/).filter((part) => part !== ""))]

/** The names of ids, as they arrive. */
const useNames = (ids: ReadonlyArray<string>) => {
  const [names, setNames] = useState<ReadonlyMap<string, string>>(new Map())
  const asked = useRef(new Set<string>())
  const learn = (id: string, name: string) => {
    asked.current.add(id)
    setNames((before) => new Map([...before, [id, name]]))
  }
  useEffect(() => {
    for (const id of ids.slice(0, mostNames)) {
      if (asked.current.has(id)) continue
      asked.current.add(id)
      void recordAt(`/monitors/${encodeURIComponent(id)}?checks=0`).then((monitor) => {
        if (monitor !== undefined) learn(id, monitor === null ? "Deleted monitor" : textOf(monitor["name"]))
      })
    }
  }, [ids])
  return { nameOf: (id: string) => names.get(id) ?? id, learn }
}

interface Looks {
  /** The field of ids, which is sent. */
  readonly field: HTMLInputElement
  readonly id: string
  readonly label: string
  readonly isList: boolean
  readonly required: boolean
  readonly describedBy: string | null
  readonly invalid: boolean
}

const Chosen = ({ ids, label, nameOf, remove }: {
  readonly ids: ReadonlyArray<string>
  readonly label: string
  readonly nameOf: (id: string) => string
  readonly remove: (id: string) => void
}) =>
  ids.length === 0 ? null : (
    <ul class="picked" aria-label={`${label}: chosen`}>
      {ids.map((id) => (
        <li key={id}>
          <span>{nameOf(id)}</span>
          <button type="button" class="plain tight" aria-label={`Remove ${nameOf(id)}`} onClick={() => remove(id)}>✕</button>
        </li>
      ))}
    </ul>
  )

/** The `id` of the list; its options have theirs after it. */
const Options = ({ choose, current, found, id }: {
  readonly id: string
  readonly found: ReadonlyArray<Found>
  readonly current: Found | undefined
  readonly choose: (one: Found) => void
}) => (
  <ul class="found" id={id} role="listbox" aria-label="Monitors that match" hidden={found.length === 0}>
    {found.map((one, index) => (
      <li
        key={one.id}
        id={`${id}-${index}`}
        role="option"
        aria-selected={one === current}
        // The field keeps the focus, so that the list stays until the choice is made.
        onMouseDown={(event) => event.preventDefault()}
        onClick={() => choose(one)}
      >
        {one.name}
      </li>
    ))}
  </ul>
)

/** The chosen ids, which are those of the field that is sent. */
const useChosen = ({ field, isList }: Looks) => {
  const [ids, setIds] = useState(() => idsIn(field.value))
  const { learn, nameOf } = useNames(ids)
  const put = (next: ReadonlyArray<string>) => {
    setIds(next)
    field.value = next.join(", ")
    field.dispatchEvent(new Event("input", { bubbles: true }))
  }
  return {
    ids,
    nameOf,
    add: ({ id, name }: Found) => {
      learn(id, name)
      put(isList ? [...ids, id] : [id])
    },
    remove: (id: string) => put(ids.filter((other) => other !== id))
  }
}

/** The typed text, and the monitors offered while the list is open. */
const useOffered = (chosen: ReadonlyArray<string>) => {
  const [typed, setTyped] = useState("")
  // Nothing is marked before something is typed, so that Enter does not choose by accident.
  const [at, setAt] = useState(-1)
  const [open, setOpen] = useState(false)
  const found = useFound(open ? typed : null, search, true).filter((one) => !chosen.includes(one.id))
  return {
    typed,
    found,
    current: at < 0 ? undefined : found[Math.min(at, found.length - 1)],
    setOpen,
    look: (text: string) => {
      setTyped(text)
      setAt(text === "" ? -1 : 0)
      setOpen(true)
    },
    move: (step: 1 | -1) => {
      setOpen(true)
      if (found.length === 0) return
      const from = Math.max(Math.min(at, found.length - 1), step < 0 ? 0 : -1)
      setAt((from + step + found.length) % found.length)
    }
  }
}

const Pick = (looks: Looks) => {
  const { describedBy, id, invalid, isList, label, required } = looks
  const { add, ids, nameOf, remove } = useChosen(looks)
  const { current, found, look, move, setOpen, typed } = useOffered(ids)
  const input = useRef<HTMLInputElement>(null)
  const choose = (one: Found) => {
    add(one)
    look("")
    setOpen(isList)
    input.current?.focus()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0
    if (event.key === "Escape") {
      look("")
      setOpen(false)
    }
    // Enter would submit the form without the typed choice.
    if (event.key === "Enter" || step !== 0) event.preventDefault()
    if (event.key === "Enter" && current !== undefined) choose(current)
    if (step !== 0) move(step)
  }
  const removed = (one: string) => {
    remove(one)
    input.current?.focus()
  }
  return (
    <div class="pick">
      <Chosen ids={ids} label={label} nameOf={nameOf} remove={removed} />
      <input
        ref={input}
        id={id}
        type="text"
        dir="auto"
        role="combobox"
        autocomplete="off"
        spellcheck={false}
        placeholder="Find by name"
        value={typed}
        required={required && ids.length === 0}
        aria-expanded={found.length > 0}
        aria-controls={`${id}-found`}
        aria-autocomplete="list"
        {...(current === undefined ? {} : { "aria-activedescendant": `${id}-found-${found.indexOf(current)}` })}
        {...(describedBy === null ? {} : { "aria-describedby": describedBy })}
        {...(invalid ? { "aria-invalid": true as const } : {})}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onInput={({ currentTarget }) => look(currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <Options id={`${id}-found`} found={found} current={current} choose={choose} />
    </div>
  )
}

export const mount = (element: HTMLElement): void => {
  const field = element.querySelector<HTMLInputElement>("input[data-pick]")
  if (field === null) return
  const looks: Looks = {
    field,
    id: field.id,
    label: field.labels?.[0]?.firstChild?.textContent?.trim() ?? "Monitors",
    isList: field.name.endsWith(":list"),
    required: field.required,
    describedBy: field.getAttribute("aria-describedby"),
    invalid: field.getAttribute("aria-invalid") === "true"
  }
  const holder = document.createElement("div")
  field.after(holder)
  // About ids, which nobody types any more.
  element.querySelector("[data-ids]")?.remove()
  // The search takes the label and the notes of the field, which keeps the ids and is sent.
  for (const name of ["id", "required", "aria-describedby", "aria-invalid"]) field.removeAttribute(name)
  field.type = "hidden"
  render(<Pick {...looks} />, holder)
}
