/** Finds empty ids, ids of another kind of resource than expected and cursors that are no ids, and explains how to use them. */
import { Option, Predicate, SchemaAST } from "effect"
import { IdPrefixes, nounOf } from "../../../schema/Ids.ts"
import type { FieldIssue } from "../../domain/input/FieldIssues.ts"
import { idTime } from "../../domain/tools/Id.ts"
import { type Operation, operations, type PartSchema } from "../openapi/Operations.ts"

type IdFields =
  | { readonly prefixes: ReadonlyArray<string> }
  | { readonly fields: ReadonlyMap<string, IdFields>; readonly items: IdFields | null }

const nowhere: IdFields = { fields: new Map(), items: null }

const hasIds = (ids: IdFields): boolean => "prefixes" in ids || ids.fields.size > 0 || ids.items !== null

const prefixesOf = (ast: SchemaAST.Annotated): ReadonlyArray<string> | null => {
  const prefixes = ast.annotations[IdPrefixes]
  return Array.isArray(prefixes) ? prefixes.filter(Predicate.isString) : null
}

/** A value may be meant for either member of a union, so the prefixes of both count. */
const either = (one: IdFields, other: IdFields): IdFields => {
  if ("prefixes" in one) return "prefixes" in other ? { prefixes: [...one.prefixes, ...other.prefixes] } : one
  if ("prefixes" in other) return other
  const fields = new Map(one.fields)
  for (const [name, ids] of other.fields) {
    const before = fields.get(name)
    fields.set(name, before === undefined ? ids : either(before, ids))
  }
  const items = one.items === null || other.items === null ? one.items ?? other.items : either(one.items, other.items)
  return { fields, items }
}

const idsIn = (ast: SchemaAST.AST): IdFields => {
  const prefixes = prefixesOf(ast)
  if (prefixes !== null) return { prefixes }
  switch (ast._tag) {
    case "Refinement":
    case "Transformation":
      return idsIn(ast.from)
    case "Union":
      return ast.types.map(idsIn).reduce(either, nowhere)
    case "TypeLiteral":
      return {
        fields: new Map(
          ast.propertySignatures
            .map(({ name, type }) => [String(name), idsIn(type)] as const)
            .filter(([, ids]) => hasIds(ids))
        ),
        items: null
      }
    case "TupleType": {
      const [item] = ast.rest
      const items = item === undefined ? nowhere : idsIn(item.type)
      return { fields: new Map(), items: hasIds(items) ? items : null }
    }
    default:
      return nowhere
  }
}

const idParameter = ({ pathParams }: Operation): ReadonlyArray<string> =>
  Option.match(pathParams, {
    onNone: () => [],
    onSome: ({ ast }) => SchemaAST.getPropertySignatures(ast).flatMap(({ type }) => prefixesOf(type) ?? [])
  })

const template = (path: string): string => path.replace(/:(\w+)/g, "{$1}")

const getterOf = (prefix: string): Operation | undefined =>
  operations.find((operation) =>
    operation.method === "GET" && /\/:\w+$/.test(operation.path) && idParameter(operation).includes(prefix)
  )

/** The collection of the resources that have this prefix, such as `/api/v1/channels`. */
const collectionOf = (prefix: string): string | undefined => {
  const changing = operations.find((operation) => /^[^:]+\/:\w+$/.test(operation.path) && idParameter(operation).includes(prefix))
  const path = changing?.path.replace(/\/:\w+$/, "")
  return operations.some((operation) => operation.method === "GET" && operation.path === path) ? path : undefined
}

/** Advice for an id: the request that reads the resource, or its list. */
const useOf = (prefix: string): string => {
  const getter = getterOf(prefix)
  if (getter !== undefined) return `; use GET ${template(getter.path)}`
  const collection = collectionOf(prefix)
  return collection === undefined ? "" : `; use GET ${collection}`
}

const isMistaken = (value: string, prefixes: ReadonlyArray<string>): boolean => {
  if (value === "") return true
  const prefix = value.slice(0, Math.max(0, value.indexOf("_")))
  return nounOf(prefix) !== undefined && !prefixes.includes(prefix) && idTime(value) !== null
}

/** Fields of a query that say where a page of a list begins. Every text has a position in the order, so a wrong one shows nothing. */
const isCursor = (path: string): boolean => path === "after" || path === "before"

const isId = (value: string, prefixes: ReadonlyArray<string>): boolean =>
  prefixes.some((prefix) => value.startsWith(`${prefix}_`)) && idTime(value) !== null

const messageOf = (value: string, prefixes: ReadonlyArray<string>): string => {
  const prefix = value.slice(0, Math.max(0, value.indexOf("_")))
  const noun = prefixes.includes(prefix) ? undefined : nounOf(prefix)
  return noun === undefined
    ? `Expected an id that starts with ${prefixes.map((expected) => `${expected}_`).join(" or ")}`
    : `${value} is ${noun}${useOf(prefix)}`
}

const find = (value: unknown, ids: IdFields, path: string): ReadonlyArray<FieldIssue> => {
  if ("prefixes" in ids) {
    return typeof value === "string" &&
        (isMistaken(value, ids.prefixes) || (isCursor(path) && !isId(value, ids.prefixes)))
      ? [{ path, message: messageOf(value, ids.prefixes) }]
      : []
  }
  const inside = (name: string | number, inner: unknown, of: IdFields) =>
    find(inner, of, path === "" ? `${name}` : `${path}.${name}`)
  if (Array.isArray(value)) {
    const { items } = ids
    return items === null ? [] : value.flatMap((item, index) => inside(index, item, items))
  }
  if (!Predicate.isRecord(value)) return []
  return [...ids.fields].flatMap(([name, of]) => inside(name, value[name], of))
}

/** The search for such ids in a part of an operation's input. */
export const mistakenIds = (part: Option.Option<PartSchema>): (input: unknown) => ReadonlyArray<FieldIssue> => {
  const ids = Option.match(part, { onNone: () => nowhere, onSome: ({ ast }) => idsIn(ast) })
  return hasIds(ids) ? (input) => find(input, ids, "") : () => []
}
