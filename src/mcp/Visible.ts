/** Which tools a caller is shown: those that it may call, and with a read-only key no more than those that read. */
import { HttpServerRequest } from "@effect/platform"
import { Effect } from "effect"
import type { Access } from "../../schema/api/Access.ts"
import { mayAct } from "../domain/access/Roles.ts"
import { authenticate } from "../http/guard/Authorization.ts"
import type { Operation } from "../http/openapi/Operations.ts"
import type { Caller } from "./ToolCall.ts"
import type { OperationTool } from "./Tools.ts"

const isOpenTo = ({ operations, role }: Access["Type"], { id, leastRole, scope }: Operation): boolean =>
  scope === "public" || mayAct(role, leastRole) && (operations === null || operations.has(id))

/** What needs no key is open to all, but whoever handed out a read-only key wants an agent that changes nothing. */
const isFor = (access: Access["Type"], { operation, tool }: OperationTool): boolean =>
  (access.scopes.includes("write") || tool.annotations?.readOnlyHint === true) && isOpenTo(access, operation)

/** Only a key counts here: a browser's cookie is no way in. */
const keyed = (authorization: string) =>
  HttpServerRequest.fromWeb(new Request("http://belltower.internal/", { headers: { authorization } }))

/** All of them without a key, so that an agent finds its way in; each call with a bad one says what is wrong with it. */
export const visibleTo = Effect.fn("Visible.to")(function*(tools: ReadonlyArray<OperationTool>, { headers }: Caller) {
  const authorization = headers["authorization"]
  if (authorization === undefined || authorization.trim() === "") return tools
  return yield* authenticate(keyed(authorization)).pipe(
    Effect.map((access) => tools.filter((tool) => isFor(access, tool))),
    Effect.orElseSucceed(() => tools)
  )
})
