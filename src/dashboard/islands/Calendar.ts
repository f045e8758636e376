/** Dragging over the days of an on-call calendar fills the times of the override's form. */

interface Props {
  readonly form: string
  readonly start: string
  readonly end: string
}

const isProps = (props: unknown): props is Props => typeof props === "object" && props !== null && "form" in props

const dayAfter = (date: string): string => new Date(Date.parse(`${date}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10)

const fill = ({ end, form, start }: Props, from: string, to: string): void => {
  const element = document.getElementById(form)
  if (!(element instanceof HTMLFormElement)) return
  for (const [name, date] of [[start, from], [end, dayAfter(to)]] as const) {
    const field = element.elements.namedItem(name)
    if (field instanceof HTMLInputElement) field.value = `${date}T00:00`
  }
  element.dispatchEvent(new Event("input", { bubbles: true }))
  element.scrollIntoView({ block: "center" })
  element.querySelector("select")?.focus({ preventScroll: true })
}

export const mount = (element: HTMLElement, props: unknown): void => {
  const table = element.querySelector<HTMLElement>("table")
  if (!isProps(props) || table === null || document.getElementById(props.form) === null) return
  const cells = [...table.querySelectorAll<HTMLElement>("td[data-day]")]
  const hint = element.querySelector<HTMLElement>(".calendar-hint")
  if (hint !== null) hint.hidden = false
  table.dataset["drag"] = ""
  let from = -1
  let to = -1
  const mark = () => {
    for (const [at, cell] of cells.entries()) {
      cell.classList.toggle("chosen", from >= 0 && at >= Math.min(from, to) && at <= Math.max(from, to))
    }
  }
  const cellAt = ({ clientX, clientY }: PointerEvent): number => {
    const cell = document.elementFromPoint(clientX, clientY)?.closest("td[data-day]")
    return cells.findIndex((one) => one === cell)
  }
  table.addEventListener("pointerdown", (event) => {
    // A finger scrolls; the form serves it.
    if (event.pointerType !== "mouse" || event.button !== 0) return
    from = cellAt(event)
    to = from
    mark()
  })
  addEventListener("pointermove", (event) => {
    const at = from < 0 ? -1 : cellAt(event)
    if (at < 0 || at === to) return
    to = at
    mark()
  })
  addEventListener("pointerup", () => {
    const [first, last] = [cells[Math.min(from, to)], cells[Math.max(from, to)]]
    if (from >= 0 && first !== undefined && last !== undefined) fill(props, first.dataset["day"] ?? "", last.dataset["day"] ?? "")
    from = -1
  })
}
