/** The JavaScript that runs in a page, in a world of its own that the page's scripts cannot reach. */

/** `text=...` finds the innermost elements that show the text, anything else is a CSS selector. */
const find = `const find = (selector) => {
  if (!selector.startsWith("text=")) return [...document.querySelectorAll(selector)]
  const wanted = selector.slice(5).trim().toLowerCase()
  const shows = (element) => (element.innerText ?? element.value ?? "").replace(/\\s+/g, " ").toLowerCase().includes(wanted)
  const found = []
  const visit = (element) => {
    if (found.length >= 100 || !shows(element)) return false
    const inner = [...element.children].map(visit).some(Boolean)
    if (!inner) found.push(element)
    return true
  }
  if (document.body) visit(document.body)
  return found
}
const isVisible = (element) => {
  const box = element.getBoundingClientRect()
  return box.width > 0 && box.height > 0 && getComputedStyle(element).visibility === "visible"
}
const cut = (text, most) => text.length > most ? text.slice(0, most) : text
const firstVisible = (selector) => find(selector).find(isVisible)`

const inPage = (parameters: string, body: string): string => `function (${parameters}) { ${find}\n${body} }`

/** Each returns null while there is nothing to act on. */
export const pageFunctions = {
  /** The centre of the first visible match, once it can be clicked there. */
  target: inPage(
    "selector",
    `const element = firstVisible(selector)
    if (element === undefined) return null
    element.scrollIntoView({ block: "center", inline: "center", behavior: "instant" })
    const box = element.getBoundingClientRect()
    const x = box.left + box.width / 2, y = box.top + box.height / 2
    const hit = document.elementFromPoint(x, y)
    const label = element.closest("label")
    if (hit === null || !(element.contains(hit) || hit.contains(element) || (label && label.contains(hit)))) return null
    if (element.disabled) return null
    return { x, y }`
  ),
  /** Focuses a field and selects what is in it. */
  field: inPage(
    "selector",
    `const element = firstVisible(selector)
    if (element === undefined || element.disabled || element.readOnly) return null
    element.scrollIntoView({ block: "center", behavior: "instant" })
    element.focus()
    if (typeof element.select === "function") element.select()
    else document.execCommand("selectAll")
    return true`
  ),
  clear: inPage("", `document.execCommand("delete"); return true`),
  choose: inPage(
    "selector, wanted",
    `const element = firstVisible(selector)
    if (!(element instanceof HTMLSelectElement)) return null
    const option = [...element.options].find((one) => one.value === wanted || one.label === wanted)
    if (option === undefined) return null
    element.value = option.value
    element.dispatchEvent(new Event("input", { bubbles: true }))
    element.dispatchEvent(new Event("change", { bubbles: true }))
    return true`
  ),
  shown: inPage("selector", `return firstVisible(selector) !== undefined ? true : null`),
  hidden: inPage("selector", `return firstVisible(selector) === undefined ? true : null`),
  isShown: inPage("selector", `return firstVisible(selector) !== undefined`),
  count: inPage("selector", `return find(selector).length`),
  text: inPage(
    "selector, most",
    `const [element] = find(selector); return element ? cut(element.innerText ?? element.textContent ?? "", most) : null`
  ),
  value: inPage(
    "selector, most",
    `const [element] = find(selector); return element ? cut(String(element.value ?? ""), most) : null`
  ),
  attribute: inPage(
    "selector, name, most",
    `const [element] = find(selector); return element ? { value: element.getAttribute(name) === null ? null : cut(element.getAttribute(name), most) } : null`
  ),
  title: inPage("", `return cut(document.title, 1000)`),
  url: inPage("", `return cut(location.href, 4000)`)
} as const
