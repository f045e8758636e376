/**
 * Marks up texts in every view: names that people gave, addresses, ids. A word of more than twenty letters may break where it fits
 * into no line; shorter ones never do, so that buttons and headings of tables stay whole. A text that is written from right to left
 * is isolated: it keeps its own direction, and what stands beside it keeps its place. Importing this file is enough.
 */
import { type ComponentChildren, Fragment, h, options, toChildArray, type VNode } from "preact"
import { isRightToLeft } from "../../domain/tools/text/Direction.ts"
import { hasLongWord, partsOfWord, splitAtLongWords } from "../../domain/tools/text/LongWords.ts"

/** Elements whose text is no line of a view, or that break it themselves. */
const ownRules = new Set<unknown>(["bdi", "code", "option", "pre", "script", "style", "text", "textarea", "title", "tspan"])

const Long = ({ word }: { readonly word: string }) =>
  h("bdi", { class: "long" }, partsOfWord(word).flatMap((part, index) => index === 0 ? [part] : [h("wbr", null), part]))

const isText = (child: unknown): child is string | number => typeof child === "string" || typeof child === "number"

const needsMarkup = (text: string): boolean => hasLongWord(text) || isRightToLeft(text)

const words = (text: string): ReadonlyArray<ComponentChildren> =>
  hasLongWord(text)
    ? splitAtLongWords(text).map((part, index) => index % 2 === 1 ? h(Long, { word: part }) : part)
    : text === ""
    ? []
    : [text]

/** Texts that follow each other. Among several, each that is written from right to left is isolated. */
const lineOf = (texts: ReadonlyArray<string>): ReadonlyArray<ComponentChildren> =>
  texts.length > 1 && texts.some(isRightToLeft)
    ? texts.flatMap((text) => isRightToLeft(text) ? h("bdi", null, words(text)) : words(text))
    : words(texts.join(""))

/**
 * Each line is one element, because boxes of buttons and badges lay each of their elements out on its own. In an element that takes
 * the direction of its text (`isOwn`), it is none: browsers do not look for the direction inside of a `bdi`.
 */
const marked = (children: ComponentChildren, isOwn: boolean): ReadonlyArray<ComponentChildren> => {
  const all: Array<ComponentChildren> = []
  let line: Array<string> = []
  const endLine = () => {
    const shown = lineOf(line)
    if (isOwn || !needsMarkup(line.join(""))) all.push(...shown)
    else all.push(h("bdi", null, shown))
    line = []
  }
  for (const child of toChildArray(children)) {
    if (isText(child)) line.push(String(child))
    else {
      endLine()
      all.push(child)
    }
  }
  endLine()
  return all
}

interface Props {
  readonly class?: unknown
  readonly dir?: unknown
}

const mayHoldText = ({ type }: VNode<Props>): boolean => type === Fragment || (typeof type === "string" && !ownRules.has(type))

/** Elements of that class break their words themselves. */
const needOf = ({ props }: VNode<Props>) => props.class === "breaks" ? isRightToLeft : needsMarkup

const hasDirection = ({ props }: VNode<Props>): boolean => props.dir !== undefined

const some = (children: ComponentChildren, holds: (text: string) => boolean): boolean =>
  Array.isArray(children) ? children.some((child) => some(child, holds)) : typeof children === "string" && holds(children)

const before = options.vnode
options.vnode = (vnode) => {
  const { props, type } = vnode
  if (mayHoldText(vnode)) {
    if (some(props.children, needOf(vnode))) props.children = marked(props.children, hasDirection(vnode))
  } else if (type === "option" && some(props.children, isRightToLeft)) Object.assign(props, { dir: "auto" })
  before?.(vnode)
}
