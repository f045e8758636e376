/**
 * Gives long words room in every view: names that people gave, addresses, ids. A word of more than twenty letters may break where it
 * fits into no line; shorter ones never do, so that buttons and headings of tables stay whole. Importing this file is enough.
 */
import { type ComponentChildren, Fragment, h, options, toChildArray, type VNode } from "preact"

/** Longer than nearly all words of the pages' languages. Scripts that are written without spaces break by themselves. */
const longWord = /([^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]{21,})/u

/** Elements whose text is no line of a view, or that break it themselves. */
const ownRules = new Set<unknown>(["bdi", "code", "option", "pre", "script", "style", "text", "textarea", "title", "tspan"])

/** Parts of an address or an id, which breaks between them before it breaks anywhere else. */
const parts = /[^@./:?&=_-]+[@./:?&=_-]*|[@./:?&=_-]+/g

const Long = ({ word }: { readonly word: string }) =>
  h("bdi", { class: "long" }, (word.match(parts) ?? []).flatMap((part, index) => index === 0 ? [part] : [h("wbr", null), part]))

/** Texts that follow each other stay one element, because boxes of buttons and badges lay each of their elements out on its own. */
const withRoom = (children: ComponentChildren): ReadonlyArray<ComponentChildren> => {
  const whole: Array<ComponentChildren> = []
  for (const child of toChildArray(children)) {
    const last = whole.at(-1)
    if (isText(child) && isText(last)) whole[whole.length - 1] = `${last}${child}`
    else whole.push(child)
  }
  return whole.map((child) =>
    typeof child === "string" && hasLongWord(child)
      ? h("bdi", null, child.split(longWord).map((part, index) => index % 2 === 1 ? h(Long, { word: part }) : part))
      : child
  )
}

const isText = (child: unknown): boolean => typeof child === "string" || typeof child === "number"

const mayHoldText = ({ props, type }: VNode<{ readonly class?: unknown }>): boolean =>
  type === Fragment || (typeof type === "string" && !ownRules.has(type) && props.class !== "breaks")

const hasLongWord = (children: ComponentChildren): boolean =>
  Array.isArray(children)
    ? children.some(hasLongWord)
    : typeof children === "string" && children.length > 20 && longWord.test(children)

const before = options.vnode
options.vnode = (vnode) => {
  const { props } = vnode
  if (mayHoldText(vnode) && hasLongWord(props.children)) props.children = withRoom(props.children)
  before?.(vnode)
}
