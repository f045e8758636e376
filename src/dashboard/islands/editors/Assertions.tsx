/** The assertion builder: offers the parts of the last answer, and fills a row of fields with the part that is picked. */
import { isLosslessNumber, parse } from "lossless-json"
import { render } from "preact"

interface Seen {
  readonly statusCode: number | null
  readonly latencyMs: number | null
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  readonly daysLeft: number | null
}

interface Pick {
  readonly source: string
  readonly path: string
  readonly op: string
  readonly value: string
  readonly label: string
}

/** The most values of a document that are offered. */
const mostValues = 200

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !isLosslessNumber(value)

/** A name that a path can hold as it is; others are quoted. */
const step = (path: string, name: string): string =>
  /^[A-Za-z_]\w*$/.test(name) ? (path === "" ? name : `${path}.${name}`) : `${path}[${JSON.stringify(name)}]`

const leaves = (value: unknown, path: string, into: Array<Pick>): void => {
  if (into.length >= mostValues) return
  if (Array.isArray(value)) {
    for (const [index, inner] of value.entries()) leaves(inner, `${path}[${index}]`, into)
    return
  }
  if (isRecord(value)) {
    for (const [name, inner] of Object.entries(value)) leaves(inner, step(path, name), into)
    return
  }
  if (path === "") return
  into.push({ source: "json", path, op: "eq", value: String(value), label: path })
}

const jsonPicks = (json: unknown): ReadonlyArray<Pick> => {
  const found: Array<Pick> = []
  leaves(json, "", found)
  return found
}

/** A round number above the seen value. */
const roomy = (ms: number): string => String(Math.max(100, Math.ceil(ms * 2 / 100) * 100))

const factPicks = ({ body, daysLeft, latencyMs, statusCode }: Seen): ReadonlyArray<Pick> => [
  ...(statusCode === null ? [] : [{ source: "status", path: "", op: "eq", value: String(statusCode), label: "Status code" }]),
  ...(latencyMs === null
    ? []
    : [{ source: "latency", path: "", op: "lt", value: roomy(latencyMs), label: "Latency in ms below" }]),
  ...(daysLeft === null ? [] : [{ source: "ssl_days", path: "", op: "gt", value: "14", label: "Certificate days left above" }]),
  ...(body === null || body === "" ? [] : [{ source: "body", path: "", op: "contains", value: "", label: "Body contains" }])
]

const groupsOf = (
  seen: Seen,
  json: unknown,
  sources: ReadonlyArray<string>
): ReadonlyArray<readonly [string, ReadonlyArray<Pick>]> => {
  const headers = Object.entries(seen.headers).map(([name, value]) => ({
    source: "header",
    path: name,
    op: "eq",
    value,
    label: name
  }))
  const groups = [["Answer", factPicks(seen)], ["JSON", jsonPicks(json)], ["Headers", headers]] as const
  return groups
    .map(([name, picks]) => [name, picks.filter(({ source }) => sources.includes(source))] as const)
    .filter(([, picks]) => picks.length > 0)
}

const control = (row: Element, part: string): HTMLInputElement | HTMLSelectElement | null => {
  const found = row.querySelector(`[name$=".${part}"]`)
  return found instanceof HTMLInputElement || found instanceof HTMLSelectElement ? found : null
}

const isFree = (row: Element): boolean => control(row, "source")?.value === ""

const clear = (row: Element): void => {
  for (const part of ["source", "path", "op", "value", "severity"]) {
    const field = control(row, part)
    if (field !== null) field.value = ""
  }
}

const renumber = (row: Element, index: number): void => {
  for (const field of row.querySelectorAll("[name]")) {
    field.setAttribute("name", (field.getAttribute("name") ?? "").replace(/\.\d+\./, `.${index}.`))
  }
  for (const named of row.querySelectorAll("[aria-label]")) {
    named.setAttribute("aria-label", (named.getAttribute("aria-label") ?? "").replace(/\d+/, String(index + 1)))
  }
}

const addRow = (list: Element): Element | null => {
  const last = list.lastElementChild
  if (last === null || list.childElementCount >= 30) return null
  const copy = last.cloneNode(true)
  if (!(copy instanceof Element)) return null
  clear(copy)
  renumber(copy, list.childElementCount)
  list.append(copy)
  return copy
}

const fill = (list: Element, { op, path, source, value }: Pick): void => {
  const row = [...list.children].find(isFree) ?? addRow(list)
  if (row === null) return
  const values = { source, path, op, value: value.slice(0, 2000) }
  for (const [part, text] of Object.entries(values)) {
    const field = control(row, part)
    if (field !== null) field.value = text
  }
  const focused = control(row, "value")
  focused?.focus()
  focused?.dispatchEvent(new Event("input", { bubbles: true }))
}

/** Removing leaves the row empty: its number is part of the names of the others. */
const followRemovals = (list: Element): void => {
  for (const button of list.querySelectorAll<HTMLElement>("[data-remove]")) button.hidden = false
  list.addEventListener("click", ({ target }) => {
    const row = target instanceof Element && target.matches("[data-remove]") ? target.closest(".assertion") : null
    if (row === null) return
    clear(row)
    control(row, "source")?.focus()
    control(row, "source")?.dispatchEvent(new Event("input", { bubbles: true }))
  })
}

const Picker = ({ json, list, seen, sources }: {
  /** The body of the answer; undefined if it is not JSON. */
  readonly json: unknown
  readonly list: Element
  readonly seen: Seen | null
  readonly sources: ReadonlyArray<string>
}) => {
  const groups = seen === null ? [] : groupsOf(seen, json, sources)
  return (
    <>
      <p>
        <button
          type="button"
          class="plain tight"
          onClick={() => {
            const row = addRow(list)
            if (row !== null) control(row, "source")?.focus()
          }}
        >
          Add a row
        </button>
      </p>
      {seen === null ? <p class="note">Run a check to build assertions from its answer.</p> : (
        <details>
          <summary>Pick from the last answer</summary>
          <div class="answer-parts">
            {groups.map(([name, picks]) => (
              <>
                <h4>{name}</h4>
                {picks.map((pick) => (
                  <button type="button" onClick={() => fill(list, pick)}>
                    <b>{pick.label}</b>&nbsp;{pick.value.slice(0, 80)}
                  </button>
                ))}
              </>
            ))}
          </div>
        </details>
      )}
    </>
  )
}

const isProps = (_props: unknown): _props is { readonly seen: Seen | null; readonly sources: ReadonlyArray<string> } => true

export const mount = (element: HTMLElement, props: unknown): void => {
  const list = element.closest("fieldset")?.querySelector(".assertions") ?? null
  if (list === null || !isProps(props)) return
  followRemovals(list)
  element.replaceChildren()
  const { seen, sources } = props
  // The numbers of an answer are offered as they are written.
  const parsed = new Response(seen?.body ?? "").text().then((text) => parse(text)).catch(() => undefined)
  void parsed.then((json: unknown) => render(<Picker json={json} list={list} seen={seen} sources={sources} />, element))
}
