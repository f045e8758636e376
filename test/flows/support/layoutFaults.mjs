// Runs inside a page: finds text that is clipped, covered or broken inside a word, and what is wider than its place.
// test/flows/support/LayoutFaults.ts reads this file as text; `layoutFaults()` answers sentences, none if all is well.

/** Where text that has no good place to break may break anywhere: code, and what says so by its class. */
const breakable = "pre,code,.breaks"

/** Boxes that scroll sideways by design. What can be pressed must be in sight even there. */
const scrollable = "pre,textarea,.scroll"

/** Longer words are names that somebody gave; they may break where they do not fit into a line of their own. */
const longestWord = 20

/** The narrowest line in which a long name may break, in pixels. */
const narrowest = 140

/** Scripts that break between any two letters. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}ー]/u

const nameOf = (element) => {
  const { id, parentElement, tagName } = element
  const classes = [...element.classList].join(".")
  const own = `${tagName.toLowerCase()}${id === "" ? "" : `#${id}`}${classes === "" ? "" : `.${classes}`}`
  return id !== "" || parentElement === null || parentElement === document.body ? own : `${nameOf(parentElement)}>${own}`
}

const quoted = (text) => `"${text.trim().replace(/\s+/g, " ").slice(0, 40)}"`

/** Shrunk to nothing on purpose, for those who hear the page. */
const isForScreenReaders = (element) => {
  for (let one = element; one !== null; one = one.parentElement) {
    if (getComputedStyle(one).clipPath === "inset(50%)" || one.classList.contains("skip")) return true
  }
  return false
}

const isVisible = (element) =>
  element.checkVisibility({ contentVisibilityAuto: true, opacityProperty: true, visibilityProperty: true }) &&
  element.closest("option,script,style,svg") === null && !isForScreenReaders(element)

const linesOf = (rects) => new Set([...rects].filter(({ width }) => width > 0).map(({ bottom }) => Math.round(bottom / 4))).size

/** The box whose width limits the lines of a text. */
const blockOf = (element) => {
  for (let one = element; one !== null; one = one.parentElement) {
    if (!["inline", "contents"].includes(getComputedStyle(one).display)) return one
  }
  return document.body
}

const contentWidth = (block) => {
  const { paddingLeft, paddingRight } = getComputedStyle(block)
  return block.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight)
}

/** Words that stand on two lines although they could stand on one. */
const brokenWords = (node, element) => {
  const range = document.createRange()
  range.selectNodeContents(node)
  if (linesOf(range.getClientRects()) < 2 || element.closest(breakable) !== null) return []
  return [...node.data.matchAll(/[\p{L}\p{N}\p{M}_'’]+/gu)].flatMap(({ 0: word, index }) => {
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
  const { textOverflow, webkitLineClamp } = getComputedStyle(element)
  return (textOverflow === "ellipsis" || webkitLineClamp !== "none") &&
    (element.closest("[title]") !== null || element.querySelector("[title]") !== null)
}

/** A text that reaches out of a box which hides what does not fit. */
const clippedText = (rect, element) => {
  let { position } = getComputedStyle(element)
  for (let box = element.parentElement; box !== null && box !== document.documentElement; box = box.parentElement) {
    const style = getComputedStyle(box)
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
  const { overflowX } = getComputedStyle(element)
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
const isAbove = (element) => {
  for (let one = element; one !== null; one = one.parentElement) {
    if (["absolute", "fixed", "sticky"].includes(getComputedStyle(one).position)) return true
  }
  return false
}

/** What of a rectangle is in sight in the boxes around it that hide or scroll the rest; null if nothing. */
const inSight = (rect, element) => {
  let { bottom, left, right, top } = rect
  for (let box = element; box !== null && box !== document.documentElement; box = box.parentElement) {
    const { display, overflowX, overflowY } = getComputedStyle(box)
    if (display === "inline" || (overflowX === "visible" && overflowY === "visible")) continue
    const around = box.getBoundingClientRect()
    bottom = Math.min(bottom, around.bottom)
    left = Math.max(left, around.left)
    right = Math.min(right, around.right)
    top = Math.max(top, around.top)
  }
  return bottom - top > 2 && right - left > 2 ? { bottom, left, right, top } : null
}

/** Texts that cover each other. */
const covered = (texts) => {
  const sorted = texts.filter(({ element }) => !isAbove(element))
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
      ...covered(texts)
    ])
  ]
}
