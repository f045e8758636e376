/** Accepts an id under another name than the tool's, where its prefix says that it is meant: `monitorId` for the `id` of a monitor. */
import { Predicate } from "effect"
import type { Arguments } from "./ToolCall.ts"
import type { OperationTool } from "./Tools.ts"

const isIdName = (name: string): boolean => name === "id" || /Id$/.test(name)

/** Names under which agents give a page, whose slug is an id as well. */
const pageNames: ReadonlySet<string> = new Set(["id", "page", "slug", "pageId"])

const isMeant = (name: string, given: string, value: unknown, description: unknown): boolean => {
  if (typeof value !== "string" || typeof description !== "string") return false
  const [, prefix] = /^(\w+_)\.\.\.$/.exec(description) ?? []
  return prefix === undefined
    ? name === "pageId" && pageNames.has(given) && !/^(?!pg_)[a-z]{2,5}_/.test(value)
    : value.startsWith(prefix)
}

/** The arguments with the id under the tool's name, if exactly one is missing and exactly one fits. */
export const withAliases = ({ input: { properties, required } }: OperationTool, given: Arguments): Arguments => {
  const missing = required.filter((name) => isIdName(name) && given[name] === undefined)
  const [name, ...more] = missing
  if (name === undefined || more.length > 0) return given
  const description = Predicate.isRecord(properties[name]) ? properties[name]["description"] : undefined
  const fitting = Object.keys(given).filter((other) =>
    !(other in properties) && (isIdName(other) || pageNames.has(other)) && isMeant(name, other, given[other], description)
  )
  const [alias, ...others] = fitting
  if (alias === undefined || others.length > 0) return given
  const { [alias]: value, ...rest } = given
  return { ...rest, [name]: value }
}
