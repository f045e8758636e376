/** Decides which tools tools/list shows to a key: the tools it can call, and only reading tools to a read-only key. */
import type { Caller } from "../../schema/access/Caller.ts"
import { mayAct } from "../domain/access/Roles.ts"
import type { Operation } from "../http/openapi/Operations.ts"
import type { OperationTool } from "./Tools.ts"

const isOpenTo = ({ operations, role }: Caller, { id, leastRole, scope }: Operation): boolean =>
  scope === "public" || mayAct(role, leastRole) && (operations === null || operations.has(id))

/** Hides public tools that write from read-only keys: their agents should not change anything. */
export const isShownTo = (caller: Caller, { operation, readOnly }: OperationTool): boolean =>
  (caller.scopes.includes("write") || readOnly) && isOpenTo(caller, operation)
