/** Which tools a key is shown: those that it may call, and with a read-only key no more than those that read. */
import type { Caller } from "../../schema/access/Caller.ts"
import { mayAct } from "../domain/access/Roles.ts"
import type { Operation } from "../http/openapi/Operations.ts"
import type { OperationTool } from "./Tools.ts"

const isOpenTo = ({ operations, role }: Caller, { id, leastRole, scope }: Operation): boolean =>
  scope === "public" || mayAct(role, leastRole) && (operations === null || operations.has(id))

/** Everyone may call a public tool, but an agent with a read-only key is meant to change nothing. */
export const isShownTo = (caller: Caller, { operation, tool }: OperationTool): boolean =>
  (caller.scopes.includes("write") || tool.annotations?.readOnlyHint === true) && isOpenTo(caller, operation)
