/**
 * Cuts an oversized input down to just beyond what its schema allows, so that decoding it and explaining what is wrong with it costs
 * no more than the largest legal input: no pattern sees a text longer than the field takes, and no list is decoded item by item
 * only to be refused for its length.
 */
import { Option, Predicate, SchemaAST } from "effect"

/** Unknown fields that are kept; an input with more is refused for these. */
const mostUnknown = 50

/** Characters of a text whose schema names no limit: an id, a flag or a timestamp, or one with a pattern that limits it. */
const unnamedLimit = 1000

/** The sizes of the texts, lists and objects that a schema accepts; null for those it rejects or does not inspect. */
export interface Shape {
  readonly text: number | null
  readonly items: { readonly most: number; readonly item: Shape } | null
  readonly members: Members | null
}

interface Members {
  readonly known: ReadonlyMap<string, Shape>
  /** Members beyond the known ones. */
  readonly others: { readonly most: number; readonly shape: Shape }
}

const nothing: Shape = { text: null, items: null, members: null }

/** Merges two values; where one is null, the other counts. */
const either = <A>(one: A | null, other: A | null, merge: (one: A, other: A) => A): A | null =>
  one === null ? other : other === null ? one : merge(one, other)

/** A value may be meant for either member of a union, so the larger size counts. */
const union = (one: Shape, other: Shape): Shape => ({
  text: either(one.text, other.text, Math.max),
  items: either(one.items, other.items, (a, b) => ({ most: Math.max(a.most, b.most), item: union(a.item, b.item) })),
  members: either(one.members, other.members, (a, b) => ({
    known: new Map(
      [...new Set([...a.known.keys(), ...b.known.keys()])].map((name) => [
        name,
        union(a.known.get(name) ?? nothing, b.known.get(name) ?? nothing)
      ])
    ),
    others: { most: Math.max(a.others.most, b.others.most), shape: union(a.others.shape, b.others.shape) }
  }))
})

/** The sizes that a refinement or a transformation names in its JSON Schema. */
const sizesIn = (ast: SchemaAST.Annotated) => {
  const named = Option.getOrNull(Option.filter(SchemaAST.getJSONSchemaAnnotation(ast), Predicate.isRecord))
  return (name: "maxLength" | "maxItems" | "maxProperties"): number => {
    const size = named?.[name]
    return typeof size === "number" ? size : Infinity
  }
}

const bounded = (shape: Shape, ast: SchemaAST.Annotated): Shape => {
  const size = sizesIn(ast)
  const { items, members, text } = shape
  return {
    text: text === null ? null : size("maxLength") === Infinity ? text : size("maxLength"),
    items: items === null ? null : { ...items, most: Math.min(items.most, size("maxItems")) },
    members: members === null || members.known.size > 0
      ? members
      : { ...members, others: { ...members.others, most: Math.min(members.others.most, size("maxProperties")) } }
  }
}

const membersOf = (ast: SchemaAST.TypeLiteral): Members => {
  const [index] = ast.indexSignatures
  return {
    known: new Map(ast.propertySignatures.map(({ name, type }) => [String(name), shapeOf(type)])),
    others: index === undefined ? { most: mostUnknown, shape: nothing } : { most: Infinity, shape: shapeOf(index.type) }
  }
}

/** The largest input that a schema takes. No input of the interface is recursive; a suspended schema is taken unseen. */
export const shapeOf = (ast: SchemaAST.AST): Shape => {
  switch (ast._tag) {
    case "Refinement":
    case "Transformation":
      return bounded(shapeOf(ast.from), ast)
    case "Union":
      return ast.types.map(shapeOf).reduce(union, nothing)
    case "StringKeyword":
    case "TemplateLiteral":
      return { ...nothing, text: unnamedLimit }
    case "TupleType":
      return { ...nothing, items: { most: Infinity, item: shapeOf(ast.rest[0]?.type ?? SchemaAST.unknownKeyword) } }
    case "TypeLiteral":
      return { ...nothing, members: membersOf(ast) }
    default:
      return nothing
  }
}

const clipItems = (value: ReadonlyArray<unknown>, { item, most }: NonNullable<Shape["items"]>): ReadonlyArray<unknown> => {
  const kept = value.length > most ? value.slice(0, most + 1) : value
  const clipped = kept.map((one) => clip(one, item))
  return clipped.some((one, index) => one !== kept[index]) ? clipped : kept
}

const clipMembers = (value: Readonly<Record<string, unknown>>, { known, others }: Members): unknown => {
  let seen = 0
  let changed = false
  const kept: Array<readonly [string, unknown]> = []
  // Keys rather than entries: most of a hostile object is only counted.
  for (const name of Object.keys(value)) {
    const shape = known.get(name)
    if (shape === undefined && ++seen > others.most + 1) {
      changed = true
      continue
    }
    const before = value[name]
    const after = clip(before, shape ?? others.shape)
    changed ||= after !== before
    kept.push([name, after])
  }
  return changed ? Object.fromEntries(kept) : value
}

const clip = (value: unknown, { items, members, text }: Shape): unknown => {
  if (typeof value === "string") return text !== null && value.length > text ? value.slice(0, text + 1) : value
  if (Array.isArray(value)) return items === null ? value : clipItems(value, items)
  return members !== null && Predicate.isRecord(value) ? clipMembers(value, members) : value
}

/** The clip of a schema's input: the input itself where nothing is too large. What it cuts still violates the schema. */
export const clippedFor = (ast: SchemaAST.AST): (input: unknown) => unknown => {
  const shape = shapeOf(ast)
  return (input) => clip(input, shape)
}
