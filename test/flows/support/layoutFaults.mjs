// Runs inside a page: finds text that is clipped, covered or broken inside a word, and what is wider than its place.
// test/flows/support/LayoutFaults.ts reads this file as text; `layoutFaults()` answers sentences, none if all is well.

/** Where text that has no good place to break may break anywhere: code, and what says so by its class. */
const breakable = "pre,code,.breaks,.answer-parts button"

/** Boxes that scroll sideways by design. What can be pressed must be in sight even there. */
const scrollable = "pre,textarea,.scroll"

/** Longer words are names that somebody gave; they may break where they do not fit into a line of their own. */
const longestWord = 20

/** The narrowest line in which a long name may break, in pixels. */
const narrowest = 140

/** Scripts that break between any two letters. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}ー]/u

const nameOf = (element) => {
  const { parentElement, tagName } = element
  const id = element.getAttribute("id") ?? ""
  const classes = [...element.classList].join(".")
  const own = `${tagName.toLowerCase()}${id === "" ? "" : `#${id}`}${classes === "" ? "" : `.${classes}`}`
  return id !== "" || parentElement === null || parentElement === document.body ? own : `${nameOf(parentElement)}>${own}`
}

const quoted = (text) => `"${text.trim().replace(/\s+/g, " ").slice(0, 40)}"`

/** Answers for an element, from its own and from that for the element around it; each is asked for once. */
const inherited = (decide) => {
  const known = new Map()
  const of = (element) => {
    if (element === null) return null
    const before = known.get(element)
    if (before !== undefined) return before
    const made = decide(element, of(element.parentElement))
    known.set(element, made)
    return made
  }
  return of
}

const styles = new Map()
const styleOf = (element) => {
  const before = styles.get(element) ?? getComputedStyle(element)
  styles.set(element, before)
  return before
}

/** Whether something is for those who hear the page only: shrunk to nothing on purpose. */
const isUnseen = inherited((element, around) =>
  around === true || styleOf(element).clipPath === "inset(50%)" || element.matches(".skip,option,script,style,svg")
)

const isVisible = (element) =>
  isUnseen(element) === false &&
  element.checkVisibility({ contentVisibilityAuto: true, opacityProperty: true, visibilityProperty: true })

const linesOf = (rects) => new Set([...rects].filter(({ width }) => width > 0).map(({ bottom }) => Math.round(bottom / 4))).size

/** The box whose width limits the lines of a text. */
const blockOf = (element) => {
  for (let one = element; one !== null; one = one.parentElement) {
    if (!["inline", "contents"].includes(styleOf(one).display)) return one
  }
  return document.body
}

const contentWidth = (block) => {
  const { paddingLeft, paddingRight } = styleOf(block)
  return block.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight)
}

/** Words that stand on two lines although they could stand on one. */
const brokenWords = (node, element) => {
  const range = document.createRange()
  range.selectNodeContents(node)
  if (linesOf(range.getClientRects()) < 2 || element.closest(breakable) !== null) return []
  return [...node.data.matchAll(/[\p{L}\p{N}\p{M}'’]+/gu)].flatMap(({ 0: word, index }) => {
    if (unspaced.test(word)) return []
    range.setStart(node, index)
    range.setEnd(node, index + word.length)
    const rects = [...range.getClientRects()]
    if (linesOf(rects) < 2) return []
    const room = contentWidth(blockOf(element))
    const whole = rects.reduce((sum, { width }) => sum + width, 0)
    const mayBreak = word.length > longestWord && whole > room && room >= narrowest
    return mayBreak ? [] : [`breaks ${quoted(word)} in ${Math.round(room)} px at ${nameOf(element)}`]
  })
}

/** Whether an element shortens its text visibly, with the whole in a title. */
const isShortened = (element) => {
  const { textOverflow, webkitLineClamp } = styleOf(element)
  return (textOverflow === "ellipsis" || webkitLineClamp !== "none") &&
    (element.closest("[title]") !== null || element.querySelector("[title]") !== null)
}

/** A text that reaches out of a box which hides what does not fit. */
const clippedText = (rect, element) => {
  const { bottom, left, right } = windowOf(element)
  if (rect.right <= right + 1 && rect.left >= left - 1 && rect.bottom <= bottom + 2) return []
  let { position } = styleOf(element)
  for (let box = element.parentElement; box !== null && box !== document.documentElement; box = box.parentElement) {
    const style = styleOf(box)
    if (position === "absolute" && style.position === "static") continue
    position = style.position
    const around = box.getBoundingClientRect()
    const hidesX = ["hidden", "clip"].includes(style.overflowX) && (rect.right > around.right + 1 || rect.left < around.left - 1)
    const hidesY = ["hidden", "clip"].includes(style.overflowY) && rect.bottom > around.bottom + 2
    if ((hidesX || hidesY) && !isShortened(box)) return [`clips ${quoted(element.textContent)} at ${nameOf(box)}`]
    if (style.overflowX !== "visible" || style.overflowY !== "visible") return []
  }
  return []
}

/** A box that is narrower than what it holds. */
const overflow = (element) => {
  const { clientWidth, scrollWidth } = element
  if (clientWidth === 0 || scrollWidth <= clientWidth + 1) return []
  const { overflowX } = styleOf(element)
  if (overflowX === "visible") return [`is ${scrollWidth - clientWidth} px too narrow: ${nameOf(element)}`]
  if (overflowX === "hidden" || overflowX === "clip") {
    return isShortened(element) || element.matches("input,select")
      ? []
      : [`hides ${scrollWidth - clientWidth} px of ${nameOf(element)}`]
  }
  if (!element.matches(scrollable)) return [`scrolls sideways: ${nameOf(element)}`]
  const { right } = element.getBoundingClientRect()
  const hidden = [...element.querySelectorAll("a,button,input,select,summary")]
    .filter((one) => isVisible(one) && one.getBoundingClientRect().right > right + 1)
  return hidden.map((one) => `scrolls ${quoted(one.textContent)} out of sight at ${nameOf(one)}`)
}

/** Whether something is painted above the rest on purpose. */
const isAbove = inherited((element, around) =>
  around === true || ["absolute", "fixed", "sticky"].includes(styleOf(element).position)
)

const everything = { bottom: Infinity, left: -Infinity, right: Infinity, top: -Infinity }

const shared = (one, other) => ({
  bottom: Math.min(one.bottom, other.bottom),
  left: Math.max(one.left, other.left),
  right: Math.min(one.right, other.right),
  top: Math.max(one.top, other.top)
})

/** The part of the page in which what an element holds is in sight, given the boxes that hide or scroll the rest. */
const windowOf = inherited((element, around) => {
  const { display, overflowX, overflowY } = styleOf(element)
  const isOpen = display === "inline" || element === document.documentElement ||
    (overflowX === "visible" && overflowY === "visible")
  return isOpen ? around ?? everything : shared(around ?? everything, element.getBoundingClientRect())
})

/** The visible part of a rectangle; null if there is none. */
const inSight = (rect, element) => {
  const seen = shared(rect, windowOf(element))
  return seen.bottom - seen.top > 2 && seen.right - seen.left > 2 ? seen : null
}

/** Texts that cover each other. */
const covered = (texts) => {
  const sorted = texts.filter(({ element }) => isAbove(element) === false)
    .map((one) => ({ ...one, rect: inSight(one.rect, one.element) })).filter(({ rect }) => rect !== null)
    .sort((one, other) => one.rect.top - other.rect.top)
  return sorted.flatMap((one, index) => {
    const found = []
    for (let next = index + 1; next < sorted.length && sorted[next].rect.top < one.rect.bottom - 4; next++) {
      const { element, rect } = sorted[next]
      const across = Math.min(rect.right, one.rect.right) - Math.max(rect.left, one.rect.left)
      if (across > 3 && element !== one.element) {
        found.push(`covers ${quoted(one.text)} with ${quoted(sorted[next].text)} at ${nameOf(element)}`)
      }
    }
    return found
  })
}

/** What is pressed or filled in. */
const controls = "a.button,button,input:not([type=hidden]),select,summary,textarea"

/** Controls that cover each other. */
const coveredControls = () => {
  const found = [...document.body.querySelectorAll(controls)]
    .filter((element) => isVisible(element) && isAbove(element) === false)
    .map((element) => ({ element, rect: inSight(element.getBoundingClientRect(), element) }))
    .filter(({ rect }) => rect !== null)
  return found.flatMap((one, index) =>
    found.slice(index + 1).flatMap((other) => {
      const { bottom, left, right, top } = shared(one.rect, other.rect)
      const isPart = one.element.contains(other.element) || other.element.contains(one.element)
      return isPart || right - left < 3 || bottom - top < 3
        ? []
        : [`covers ${nameOf(one.element)} with ${nameOf(other.element)}`]
    })
  )
}

/** The texts in sight, a rectangle for each of their lines. */
const textsIn = (nodes) =>
  nodes.flatMap(({ element, node }) => {
    const range = document.createRange()
    range.selectNodeContents(node)
    return [...range.getClientRects()].filter(({ height, width }) => width > 1 && height > 1)
      .map((rect) => ({ element, rect, text: node.data }))
  })

const layoutFaults = () => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const nodes = []
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const element = node.parentElement
    if (node.data.trim() !== "" && element !== null && isVisible(element)) nodes.push({ node, element })
  }
  const texts = textsIn(nodes)
  const boxes = [document.documentElement, ...document.body.querySelectorAll("*")].filter(isVisible)
  return [
    ...new Set([
      ...nodes.flatMap(({ element, node }) => brokenWords(node, element)),
      ...texts.flatMap(({ element, rect }) => clippedText(rect, element)),
      ...boxes.flatMap(overflow),
      ...covered(texts),
      ...coveredControls()
    ])
  ]
}
