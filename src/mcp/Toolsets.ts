/** Decides which tools tools/list shows: those that the key can call, in the groups that the client chooses. */
import type { HttpServerRequest } from "@effect/platform"
import { Array, Effect, Option } from "effect"
import type { Caller } from "../../schema/access/Caller.ts"
import { BadRequest } from "../../schema/Errors.ts"
import { isListed } from "../domain/access/CallPermission.ts"
import { mayAct } from "../domain/access/Roles.ts"
import { commaList } from "../domain/tools/text/CommaList.ts"
import { nearest } from "../domain/tools/text/Nearest.ts"
import type { Operation } from "../http/openapi/Operations.ts"
import { essential, essentialTools } from "./EssentialTools.ts"
import { allTools, type OperationTool } from "./Tools.ts"

const header = "x-mcp-toolsets"

/** `Status pages` is chosen as `status-pages`. */
const toolsetOf = ({ operation }: OperationTool): string => operation.group.toLowerCase().replace(/\W+/g, "-")

const toolsets: ReadonlyArray<string> = [essential, ...Array.dedupe(allTools.map(toolsetOf))]

const unknown = (name: string) => {
  const meant = nearest(name, toolsets)
  return new BadRequest({
    message: `Unknown toolset ${name.slice(0, 64)}${meant === null ? "" : `; did you mean ${meant}?`}`,
    hint: `Toolsets: ${toolsets.join(", ")}`
  })
}

/** The names in the query or, without any there, in the header. */
const namesIn = ({ headers, url }: HttpServerRequest.HttpServerRequest): ReadonlyArray<string> => {
  const question = url.indexOf("?")
  const query = question === -1 ? null : new URLSearchParams(url.slice(question + 1)).get("toolsets")
  return commaList((query ?? headers[header] ?? "").toLowerCase())
}

export interface Choice {
  readonly of: (tools: ReadonlyArray<OperationTool>) => ReadonlyArray<OperationTool>
  /** Whether the client gets the tools that find and call the others. */
  readonly searches: boolean
}

/** The tools of the chosen groups; all if the client chooses none. Every tool can still be called by its name. */
export const chosenTools = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<Choice, BadRequest> => {
  const names = namesIn(request)
  const stranger = Array.findFirst(names, (name) => !toolsets.includes(name))
  if (Option.isSome(stranger)) return Effect.fail(unknown(stranger.value))
  const searches = names.includes(essential)
  const isChosen = (tool: OperationTool) => names.includes(toolsetOf(tool)) || (searches && essentialTools.has(tool.operation.id))
  return Effect.succeed({ of: (tools) => names.length === 0 ? tools : tools.filter(isChosen), searches })
}

const isOpenTo = ({ operations, role }: Caller, { id, leastRole, scope }: Operation): boolean =>
  scope === "public" || mayAct(role, leastRole) && isListed(operations, id)

/** Hides public tools that write from read-only keys: their agents should not change anything. */
export const isShownTo = (caller: Caller, { operation, readOnly }: OperationTool): boolean =>
  (caller.scopes.includes("write") || readOnly) && isOpenTo(caller, operation)
