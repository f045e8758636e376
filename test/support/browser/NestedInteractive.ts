/** Finds interactive elements inside others, which keyboards and screen readers cannot reach (axe: nested-interactive). */

const voidTags = new Set(["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"])
const interactiveTags = new Set(["button", "input", "select", "textarea", "summary", "iframe", "video", "audio"])

const isInteractive = (tag: string, attributes: string) =>
  interactiveTags.has(tag) || (tag === "a" && /\shref=/.test(attributes)) || /\stabindex="?(?!-)/i.test(attributes) ||
  /\srole="(?:button|link|checkbox|menuitem|option|radio|switch|tab)"/.test(attributes)

/** Pairs such as `summary > a`, in document order. The markup must close its tags, as a renderer does. */
export const nestedInteractive = (html: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  const open: Array<{ readonly tag: string; readonly interactive: boolean }> = []
  const markup = html.replace(/<!--.*?-->|<(script|style)\b[^>]*>.*?<\/\1>/gs, "")
  for (const [, closing = "", name = "", attributes = ""] of markup.matchAll(/<(\/?)([a-z][a-z0-9]*)((?:"[^"]*"|[^">])*)>/gi)) {
    const tag = name.toLowerCase()
    if (closing === "/") {
      open.splice(open.map((one) => one.tag).lastIndexOf(tag))
      continue
    }
    const interactive = isInteractive(tag, attributes)
    const outer = open.find((one) => one.interactive)
    if (interactive && outer !== undefined) found.push(`${outer.tag} > ${tag}`)
    if (!voidTags.has(tag) && !attributes.endsWith("/")) open.push({ tag, interactive })
  }
  return found
}
