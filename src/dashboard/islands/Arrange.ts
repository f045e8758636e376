/** Arranges the components of a page by dragging and by buttons, within and between groups. */
import { announce, callApi, make, makeButton } from "./Dom.ts"
import { recordAt } from "./Search.ts"

interface Props {
  readonly pageId: string
}

const isProps = (props: unknown): props is Props => typeof props === "object" && props !== null && "pageId" in props

const itemOf = (target: EventTarget | null): HTMLElement | null =>
  target instanceof Element ? target.closest<HTMLElement>("[data-component]") : null

/** The whole order with groups, as the operation takes it. */
const arrangement = (element: HTMLElement) =>
  [...element.querySelectorAll<HTMLElement>("[data-component]")].map((item) => {
    const group = item.closest<HTMLElement>("[data-group]")?.dataset["group"] ?? ""
    return { id: item.dataset["component"] ?? "", group: group === "" ? null : group }
  })

const save = async (element: HTMLElement, { pageId }: Props): Promise<void> => {
  const page = `/pages/${encodeURIComponent(pageId)}`
  // The groups as they are now: the call drops those that it does not name, such as one that was added since the view was shown.
  const groups = (await recordAt(page))?.["groups"]
  const response = await callApi(`${page}/groups`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ groups, components: arrangement(element) })
  }).catch(() => null)
  // Shows the order that the server has.
  if (response === null || !response.ok) location.reload()
  else announce("Order saved")
}

/** Moves an item by one place, at the end of its group into the next one. */
const moved = (element: HTMLElement, item: HTMLElement, step: -1 | 1): boolean => {
  const neighbour = step === -1 ? item.previousElementSibling : item.nextElementSibling
  const lists = [...element.querySelectorAll<HTMLElement>("[data-list]")]
  const other = lists[lists.findIndex((list) => list === item.parentElement) + step]
  if (neighbour !== null && step === -1) neighbour.before(item)
  else if (neighbour !== null) neighbour.after(item)
  else if (other !== undefined && step === -1) other.append(item)
  else if (other !== undefined) other.prepend(item)
  return neighbour !== null || other !== undefined
}

/** A grip to drag by, and buttons that also lead into the next group. They replace the forms, whose order would be outdated. */
const equip = (element: HTMLElement, item: HTMLElement, saved: () => void): void => {
  const name = item.querySelector(".title")?.textContent ?? "component"
  item.prepend(make("span", { "class": "grip", "aria-hidden": "true" }, "⠿"))
  for (const form of item.querySelectorAll("form")) form.remove()
  const buttons = item.querySelector(".buttons")
  for (const [step, sign, word] of [[-1, "↑", "up"], [1, "↓", "down"]] as const) {
    const button = makeButton(sign, () => {
      if (!moved(element, item, step)) return
      button.focus()
      saved()
    }, { "aria-label": `Move ${name} ${word}` })
    buttons?.append(button)
  }
}

export const mount = (element: HTMLElement, props: unknown): void => {
  if (!isProps(props)) return
  let timer = 0
  const saved = () => {
    for (const section of element.querySelectorAll("[data-group]")) {
      const empty = section.querySelector(".empty-group")
      if (empty instanceof HTMLElement) empty.hidden = section.querySelector("[data-component]") !== null
    }
    // Several key presses are one save.
    clearTimeout(timer)
    timer = setTimeout(() => void save(element, props), 400)
  }
  for (const section of element.querySelectorAll<HTMLElement>("[data-group][hidden]")) section.hidden = false
  let dragged: HTMLElement | null = null
  for (const item of element.querySelectorAll<HTMLElement>("[data-component]")) {
    item.draggable = true
    equip(element, item, saved)
  }
  element.addEventListener("dragstart", (event) => {
    dragged = itemOf(event.target)
    dragged?.classList.add("dragging")
    event.dataTransfer?.setData("text/plain", dragged?.dataset["component"] ?? "")
  })
  element.addEventListener("dragover", (event) => {
    if (dragged === null || !(event.target instanceof Element)) return
    const over = itemOf(event.target)
    const list = event.target.closest("[data-group]")?.querySelector("[data-list]")
    if (list === null || list === undefined) return
    event.preventDefault()
    if (over === null) list.append(dragged)
    else if (over !== dragged) {
      const { height, top } = over.getBoundingClientRect()
      if (event.clientY < top + height / 2) over.before(dragged)
      else over.after(dragged)
    }
  })
  element.addEventListener("drop", (event) => event.preventDefault())
  element.addEventListener("dragend", () => {
    dragged?.classList.remove("dragging")
    dragged = null
    saved()
  })
}
