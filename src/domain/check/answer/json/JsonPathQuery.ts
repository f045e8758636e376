/** Evaluates the queries that json-p3 parsed (RFC 9535, sections 2.3 and 2.5). A query compiles once and then reads many answers. */
import { jsonpath, type JSONPathQuery, TokenKind } from "json-p3"
import { type ExactJson, isList, isRecord } from "../../../tools/json/ExactJson.ts"
import { childrenOf, type Nodes, type PathCost, type Query, sizeOf, testOf } from "./JsonPathFilter.ts"

const { selectors } = jsonpath

/** Appends what it selects from a value to `found`. `root` is the whole document. */
type Select = (value: ExactJson, root: ExactJson, found: Array<ExactJson>) => void

interface Compiling {
  readonly cost: PathCost
  /** How names read members. */
  readonly member: (value: ExactJson, name: string, token: TokenKind) => ExactJson | undefined
}

const memberOf = (value: ExactJson, name: string): ExactJson | undefined =>
  isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined

const itemOf = (value: ExactJson, index: number): ExactJson | undefined =>
  isList(value) ? value[index < 0 ? value.length + index : index] : undefined

/** `.length` of a list or a text is its size, and where `readsDigits`, `.0` is the first item of a list. */
const looseMemberOf = (readsDigits: boolean): Compiling["member"] => (value, name, token) =>
  isRecord(value)
    ? memberOf(value, name)
    : name === "length" && token === TokenKind.NAME
    ? sizeOf(value)
    : readsDigits && /^\d{1,9}$/.test(name)
    ? itemOf(value, Number(name))
    : undefined

const one = (read: (value: ExactJson) => ExactJson | undefined): Select => (value, _, found) => {
  const selected = read(value)
  if (selected !== undefined) found.push(selected)
}

type Slice = InstanceType<typeof selectors.SliceSelector>

/** RFC 9535, section 2.3.4.2.2. */
const sliceOf = ({ start, step = 1, stop }: Slice): Select => (value, _, found) => {
  if (!isList(value) || step === 0) return
  const { length } = value
  const [first, last] = step > 0 ? [0, length] : [-1, length - 1]
  const index = (given: number | undefined, otherwise: number): number =>
    given === undefined ? otherwise : Math.min(Math.max(given < 0 ? length + given : given, first), last)
  const end = index(stop, step > 0 ? last : first)
  for (let at = index(start, step > 0 ? first : last); step > 0 ? at < end : at > end; at += step) {
    const item = value[at]
    if (item !== undefined) found.push(item)
  }
}

const selectOf = (compiling: Compiling, selector: jsonpath.JSONPathSelector): Select => {
  if (selector instanceof selectors.NameSelector) {
    const { name, token } = selector
    return one((value) => compiling.member(value, name, token.kind))
  }
  if (selector instanceof selectors.IndexSelector) return one((value) => itemOf(value, selector.index))
  compiling.cost.loops++
  if (selector instanceof selectors.SliceSelector) return sliceOf(selector)
  const test = selector instanceof selectors.FilterSelector
    ? testOf({ cost: compiling.cost, inner: (query) => queryOf({ ...compiling, member: memberOf }, query) }, selector.expression)
    : () => true
  return (value, root, found) => {
    for (const child of childrenOf(value)) if (test(child, root)) found.push(child)
  }
}

/** A value and all below it, in the order of the document. */
const addWithDescendants = (value: ExactJson, into: Array<ExactJson>): void => {
  into.push(value)
  for (const child of childrenOf(value)) addWithDescendants(child, into)
}

const queryOf = (compiling: Compiling, { segments }: JSONPathQuery): Query => {
  const steps = segments.map(({ selectors: each, token }) => {
    const isDescendant = token.kind === TokenKind.DDOT
    if (isDescendant) compiling.cost.loops++
    return { isDescendant, selects: each.map((selector) => selectOf(compiling, selector)) }
  })
  return (from, root) => {
    let nodes: Nodes = [from]
    for (const { isDescendant, selects } of steps) {
      const found: Array<ExactJson> = []
      for (const node of nodes) {
        const starts: Array<ExactJson> = []
        if (isDescendant) addWithDescendants(node, starts)
        else starts.push(node)
        for (const start of starts) for (const select of selects) select(start, root, found)
      }
      nodes = found
    }
    return nodes
  }
}

export interface CompiledQuery extends PathCost {
  /** It has names and indexes only, so it selects one value at most. */
  readonly isSingular: boolean
  readonly select: (root: ExactJson) => Nodes
}

/** `isLoose`: the path is not written as RFC 9535 demands. */
export const compileQuery = (query: JSONPathQuery, isLoose: boolean): CompiledQuery => {
  const cost: PathCost = { loops: 0, patternSize: 0, problem: null }
  const isSingular = query.singularQuery()
  const select = queryOf({ cost, member: isSingular ? looseMemberOf(isLoose) : memberOf }, query)
  return { ...cost, isSingular, select: (root) => select(root, root) }
}
